// SPDX-License-Identifier: Apache-2.0
#include "sw/report/page.h"

#include "sw/report/assets.h"
#include "sw/report/layers.h"
#include "sw/report/mixtures.h"

namespace mxe::report {

std::string script_safe(const nlohmann::ordered_json& value) {
  // Plain ASCII without '<' cannot end the element. Bytes that are not UTF-8 become U+FFFD.
  std::string safe;
  for (const char c : value.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace)) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string make_page(Exploration exploration) {
  const std::size_t without_layers = limit_layers(exploration.points, kMostLayers);
  nlohmann::ordered_json layers = pack_layers(exploration.points);
  const nlohmann::ordered_json data{{"points", std::move(exploration.points)},
                                    {"traces", exploration.traces},
                                    {"layers", std::move(layers)},
                                    {"space", std::move(exploration.space)},
                                    {"mixtures", pack_mixtures(exploration.mixtures)},
                                    {"without_layers", without_layers}};
  std::string page(assets::kHead);
  page += "<style>\n";
  page += assets::kStyle;
  page += "</style>\n";
  page += assets::kBody;
  page += "<script>\n";
  page += assets::kLibrary;
  page += "\n</script>\n<script type=\"application/json\" id=\"data\">";
  page += script_safe(data);
  page += "</script>\n<script>\n\"use strict\";\n";
  page += assets::kProgram;
  page += "</script>\n</body>\n</html>\n";
  return page;
}

}  // namespace mxe::report
