#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A shard of scripts/coverage runs only its part; the report of all shards equals that of the previous whole run; a
# missing part is an error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
report=build-rtl-coverage/report
whole=$(<$report/coverage.json)
[[ -z $(scripts/coverage --short --shard 2/2) ]]  # its results exist
rm -r $report/narrow
if message=$(scripts/coverage --short --report 2>&1); then
  echo "a report without all runs: $message"
  exit 1
fi
[[ $message == "scripts/coverage: the run 'narrow' is not there (--shard runs it)" ]]
[[ -z $(scripts/coverage --short --shard 1/2) ]]
scripts/coverage --short --shard 2/2
scripts/coverage --short --report
diff <(echo "$whole") $report/coverage.json
