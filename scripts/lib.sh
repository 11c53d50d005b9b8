# Shared by the scripts, which source it: installing, configuring, building.
# Every function does nothing when there is nothing to do.

XFMR_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
XFMR_BUILD=$XFMR_ROOT/build
[ "${XFMR_PRESET:-}" != asan ] || XFMR_BUILD=$XFMR_BUILD/asan

xfmr_say() { printf '== %s\n' "$*"; }
xfmr_die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# Runs a command as root: directly, or through sudo.
xfmr_as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo -- "$@"
  else
    xfmr_die "'$*' needs root, and sudo is not installed"
  fi
}

# Installs what scripts/packages.txt names and this machine lacks.
xfmr_install_packages() {
  local package missing=()
  command -v dpkg-query >/dev/null ||
    xfmr_die "this is not Debian: install what scripts/packages.txt names, then use cmake --preset dev"
  while read -r package; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
      missing+=("$package")
  done < <(sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$XFMR_ROOT/scripts/packages.txt")
  [ ${#missing[@]} -gt 0 ] || return 0

  xfmr_say "installing the Debian packages: ${missing[*]}"
  # The lists are fetched when apt lacks them, or when what they name is gone.
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o Dpkg::Use-Pty=0)
  local install=("${apt[@]}" install --no-install-recommends "${missing[@]}")
  if apt-get -s -q install --no-install-recommends "${missing[@]}" >/dev/null 2>&1 &&
    xfmr_as_root "${install[@]}" </dev/null; then
    return 0
  fi
  xfmr_say "fetching the package lists"
  xfmr_as_root "${apt[@]}" update </dev/null
  xfmr_as_root "${install[@]}" </dev/null ||
    xfmr_die "apt-get could not install: ${missing[*]}"
}

# Configures build/ with the preset $XFMR_PRESET, dev by default. A build that
# was configured by hand with another preset is kept when none is asked for.
xfmr_configure() {
  local preset=${XFMR_PRESET:-dev}
  if [ -z "${XFMR_PRESET:-}" ] && [ -f "$XFMR_BUILD/build.ninja" ]; then
    return 0
  fi
  xfmr_say "configuring (preset $preset)"
  (cd "$XFMR_ROOT" && cmake --preset "$preset" "$@")
}

# xfmr_build [target...]: everything when no target is named.
xfmr_build() {
  xfmr_say "building ${*:-everything}"
  local targets=()
  [ $# -eq 0 ] || targets=(--target "$@")
  cmake --build "$XFMR_BUILD" "${targets[@]}"
}

# Makes build/venv with what scripts/requirements.txt names. Returns non-zero, having
# said why, when the packages cannot be had.
xfmr_install_python() {
  local venv=$XFMR_BUILD/venv wanted
  wanted=$(sha256sum <"$XFMR_ROOT/scripts/requirements.txt")
  [ "$(cat "$venv/installed" 2>/dev/null)" != "$wanted" ] || return 0
  xfmr_say "installing into build/venv: $(grep -v '^#' "$XFMR_ROOT/scripts/requirements.txt" | paste -sd' ')"
  /usr/bin/python3 -m venv --system-site-packages "$venv" &&
    "$venv/bin/pip" install -q --disable-pip-version-check --no-input --no-deps \
      -r "$XFMR_ROOT/scripts/requirements.txt" &&
    printf '%s\n' "$wanted" >"$venv/installed"
}
