#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# With jobs of a single pair of formats, the report of a short run must list the missing formats.
#   missing_formats.sh MXE PYTHON
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$1" cosim --case tests/cosim/cases/one_by_one.json --coverage "$work/run"
status=0
"$2" tb/coverage/report/report.py --short --output "$work/report" "$work/run" 2>"$work/complaints" || status=$?
cat "$work/complaints"
[[ $status == 1 ]]
grep --quiet "group 'format of A': not reached: mxfp4_e2m1" "$work/complaints"
