#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# In parts, scripts/coverage finds what it finds as a whole, which ran before; a part that is missing
# is noticed, and one that is there is not run again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
report=build-rtl-coverage/report
whole=$(<$report/coverage.json)
rm -r $report
scripts/coverage --short --shard 2/2
if message=$(scripts/coverage --short --report 2>&1); then
  echo "a report without all runs: $message"
  exit 1
fi
[[ $message == "scripts/coverage: the run 'small' is not there (--shard runs it)" ]]
scripts/coverage --short --shard 1/2
[[ -z $(scripts/coverage --short --shard 1/2) ]]
scripts/coverage --short --report
diff <(echo "$whole") $report/coverage.json
