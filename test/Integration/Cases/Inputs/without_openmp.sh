# without_openmp.sh LLVM_LIB_DIR FOLDER COMMAND..
# Runs a command where LLVM's library directory has no OpenMP library: in a mount
# namespace of its own, or not at all where that is not allowed.
if [ -z "$XFMR_UNSHARED" ]; then
  if ! unshare -rm true 2> /dev/null; then
    echo "no mount namespace here: --openmp-library (not run)"
    exit 1
  fi
  XFMR_UNSHARED=1 exec unshare -rm sh "$0" "$@"
fi
set -e
libraries=$(readlink -f "$1") folder=$2
shift 2
mkdir -p "$folder/all" "$folder/shown"
mount --bind "$libraries" "$folder/all"
for file in "$libraries"/*; do
  case $file in
  *omp*) ;;
  *)
    real=$(readlink -f "$file")
    case $real in "$libraries"/*) real=$folder/all${real#"$libraries"} ;; esac
    ln -sf "$real" "$folder/shown/${file##*/}"
    ;;
  esac
done
mount --bind "$folder/shown" "$libraries"
exec "$@"
