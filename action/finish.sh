#!/usr/bin/env bash
# Ends the job of action.yml, after the findings were uploaded: fails on new findings, and if the audit could not be done.
set -euo pipefail
case "$STATUS" in
  0) ;;
  1)
    [ "$INPUT_FAIL_ON" != never ] || exit 0
    echo "::error::weigh audit found new problems of severity $INPUT_FAIL_ON or worse"
    exit 1
    ;;
  *)
    echo "::error::weigh audit could not be done; the log says why"
    exit 2
    ;;
esac
