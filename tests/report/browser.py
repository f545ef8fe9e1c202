# SPDX-License-Identifier: Apache-2.0
import os
import shutil
import sys
import time

SKIPPED = 77
CHARTS = ("area", "accuracy", "roofline", "stall")  # and "mixtures", for workloads with mixtures


def missing():
    """The name of a missing requirement, or None."""
    try:
        import selenium  # noqa: F401 (checks that it is installed)
    except ImportError:
        return "Selenium (Debian: python3-selenium)"
    for program, package in (("chromium", "chromium"), ("chromedriver", "chromium-driver")):
        if not shutil.which(program):
            return f"{program} (Debian: {package})"
    return None


def require():
    """Ends the test if a requirement is missing: as skipped, or as failed if CI is set."""
    lacking = missing()
    if lacking:
        ci = bool(os.environ.get("CI"))
        print(f"{'FAILED' if ci else 'SKIPPED'}: the page was NOT tested in a browser: there is no {lacking}; "
              "scripts/setup installs it", file=sys.stderr)
        sys.exit(1 if ci else SKIPPED)


class Browser:
    def __init__(self):
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
        options = webdriver.ChromeOptions()
        # In a container, root has no sandbox and there is little shared memory.
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
            options.add_argument(argument)
        options.binary_location = shutil.which("chromium")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        self.driver.set_script_timeout(20)
        # The page must work without a network.
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.driver.execute_cdp_cmd("Network.emulateNetworkConditions",
                                    {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0})

    def close(self):
        self.driver.quit()

    def open(self, path, width=1400, height=1000, scheme="light", mobile=False):
        cdp = self.driver.execute_cdp_cmd
        cdp("Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile})
        cdp("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.driver.get("about:blank")
        self.driver.get("file://" + path)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def logged(self):
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def filled_text(self, selector, seconds=20):
        """The text when there is some; the page may draw after its load event."""
        end = time.monotonic() + seconds
        while not self.text(selector) and time.monotonic() < end:
            time.sleep(0.05)
        return self.text(selector)

    def click(self, selector):
        self.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
        self.driver.find_element("css selector", selector).click()

    def type(self, selector, text):
        self.driver.find_element("css selector", selector).send_keys(text)

    def series(self, chart):
        """The contents of a chart: {name of a series: number of its points}."""
        return self.run("""
            const chart = echarts.getInstanceByDom(document.getElementById(arguments[0] + "-chart"));
            return Object.fromEntries((chart.getOption().series || []).map((s) => [s.name, s.data.length]));""", chart)

    def lines(self, chart):
        """The fronts of a chart: {name: number of points}."""
        return self.run("""
            const chart = echarts.getInstanceByDom(document.getElementById(arguments[0] + "-chart"));
            return Object.fromEntries(chart.getOption().series.filter((s) => s.type === "line").map((s) => [s.name, s.data.length]));""", chart)

    def ink(self, chart):
        return self.run("""
            const canvas = document.querySelector("#" + arguments[0] + "-chart canvas");
            const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            let inked = 0;
            for (let i = 3; i < data.length; i += 4) inked += data[i] > 0;
            return inked / (data.length / 4);""", chart)

    def place(self, chart, point):
        """Scrolls to a point of a chart and returns its position in the window, or None without one."""
        return self.run("""
            const box = document.getElementById(arguments[0] + "-chart");
            box.scrollIntoView({block: "center"});
            const chart = echarts.getInstanceByDom(box);
            for (const [index, series] of chart.getOption().series.entries()) {
              const found = series.data.find((d) => (d.id ?? d.number) === arguments[1]);
              if (!found) continue;
              const [x, y] = chart.convertToPixel({seriesIndex: index}, found.value);
              const frame = box.getBoundingClientRect();
              return [frame.left + x, frame.top + y];
            }
            return null;""", chart, point)

    def mouse(self, kind, place):
        self.driver.execute_cdp_cmd("Input.dispatchMouseEvent",
                                    {"type": kind, "x": place[0], "y": place[1], "button": "none" if kind == "mouseMoved" else "left",
                                     "clickCount": 0 if kind == "mouseMoved" else 1})

    def click_point(self, chart, point):
        place = self.place(chart, point)
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.mouse(kind, place)
