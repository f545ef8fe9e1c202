#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Takes the picture of the README, docs/figures/report.png: the report of an exploration with tensors, in Chromium.

  docs/figures/screenshot.py build/mxe

Needs chromium, chromium-driver and python3-selenium (scripts/setup).
"""
import pathlib
import subprocess
import sys
import tempfile

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

ROOT = pathlib.Path(__file__).resolve().parents[2]
TENSORS = ROOT / "sw/explore/tensors"
SIZE = (1280, 1180)
SPACE = """parameters:
  NUM_PE: [4, 8, 16, 32]
  ACC_TILES: [2, 4]
  format_a: [mxint8, mxfp8_e4m3, mxfp6_e2m3, mxfp4_e2m1]
  format_b: [mxint8, mxfp6_e2m3, mxfp4_e2m1]
"""
# Scrolls to the charts, below the filters, which stay at the top.
SCROLL = """const heads = [...document.querySelectorAll("h2")];
const charts = heads.find(head => head.textContent.startsWith("Area against"));
window.scrollTo(0, charts.getBoundingClientRect().top + window.scrollY - 160);"""


def main():
    mxe = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="mxe_report_") as folder:
        space = pathlib.Path(folder) / "space.yaml"
        space.write_text(SPACE, encoding="utf-8")
        subprocess.run([mxe, "explore", space, "--output", folder, "--workload", TENSORS / "decoder.csv",
                        "--tensors", TENSORS / "decoder.safetensors"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([mxe, "report", folder], check=True, stdout=subprocess.DEVNULL)
        options = Options()
        options.binary_location = "/usr/bin/chromium"
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                         f"--window-size={SIZE[0]},{SIZE[1]}"):
            options.add_argument(argument)
        browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        try:
            browser.get(f"file://{folder}/report.html")
            browser.implicitly_wait(10)
            browser.execute_script(SCROLL)
            browser.execute_async_script("setTimeout(arguments[0], 1500)")  # the charts are drawn
            browser.save_screenshot(str(ROOT / "docs/figures/report.png"))
        finally:
            browser.quit()


if __name__ == "__main__":
    main()
