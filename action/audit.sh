#!/usr/bin/env bash
# Audits dumps for action.yml. Writes the findings to $INPUT_SARIF, and file and exit status to $GITHUB_OUTPUT.
set -euo pipefail

# Prints the path of weigh: the installed one, or the release's, downloaded and verified.
find_weigh() {
  if [ -n "$INPUT_WEIGH" ]; then
    echo "$INPUT_WEIGH"
    return
  fi
  local name="weighbridge-$VERSION-$(uname -m)-unknown-linux-gnu" folder="$temporary/weighbridge-$VERSION"
  if [ ! -x "$folder/$name/weigh" ]; then
    mkdir -p "$folder"
    cd "$folder"
    curl --fail --silent --show-error --location --remote-name-all "$RELEASES/$name.tar.gz" "$RELEASES/SHA256SUMS"
    sha256sum --check --ignore-missing --strict --quiet SHA256SUMS >&2
    tar -xzf "$name.tar.gz"
  fi
  echo "$folder/$name/weigh"
}

temporary=${RUNNER_TEMP:-}
if [ -z "$temporary" ]; then
  # Others can put files into /tmp.
  temporary=$(mktemp -d)
  trap 'rm -rf "$temporary"' EXIT
fi
weigh=$(find_weigh)
options=()
while IFS= read -r dump; do
  [ -z "$dump" ] || options+=(--dump "$dump")
done <<< "$INPUT_DUMP"
if [ "${#options[@]}" -eq 0 ]; then
  echo "the input dump names no file" >&2
  exit 2
fi
[ -z "$INPUT_TARGET" ] || options+=(--target "$INPUT_TARGET")
[ -z "$INPUT_SERVER" ] || options+=(--server "$INPUT_SERVER")
[ -z "$INPUT_BASELINE" ] || options+=(--baseline "$INPUT_BASELINE")
[ "$INPUT_FAIL_ON" = never ] || options+=(--fail-on "$INPUT_FAIL_ON")

status=0
findings=$(mktemp "$temporary/findings.XXXXXX")
"$weigh" audit "${options[@]}" --format sarif > "$findings" || status=$?
chmod 644 "$findings"
# Replaces a link, which a pull request can add.
mv -fT -- "$findings" "$INPUT_SARIF"
[ "$status" -lt 2 ] || status=2
echo "sarif=$INPUT_SARIF" >> "$GITHUB_OUTPUT"
echo "status=$status" >> "$GITHUB_OUTPUT"
