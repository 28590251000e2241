#!/usr/bin/env bash
# Audits what a pull request changes in XML files: a change log of each file, the findings at the terminal and as SARIF.
#
# BASE is the branch or commit it goes into, FILES are patterns of git, RULES rules files (one a line; without it those of
# xmlcep.toml), FAIL_ON is a severity, SARIF the file to write. Exit status: that of xmlcep audit.
set -euo pipefail

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
mapfile -t patterns < <(printf '%s' "${FILES:-*.xml}" | sed '/^$/d')
mapfile -t rules < <(printf '%s' "${RULES:-}" | sed '/^$/d')
options=("${rules[@]/#/--rules=}" ${FAIL_ON:+"--fail-on=$FAIL_ON"})

number=0
while IFS= read -r -d '' file; do
    number=$((number + 1))
    xmlcep history "$file" --base "$BASE" --name "$file" -o "$logs/$number.jsonl"
done < <(git diff -z --name-only --diff-filter=AMR "$BASE...HEAD" -- "${patterns[@]}")
if [ "$number" -eq 0 ]; then
    echo "no file changed that matches ${patterns[*]}"
    exit 0
fi
xmlcep audit "$logs" "${options[@]}" --quiet --force --out "${SARIF:-xmlcep.sarif}" && status=0 || status=$?
xmlcep audit "$logs" "${rules[@]/#/--rules=}" --quiet --format csv
exit "$status"
