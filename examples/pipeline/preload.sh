#!/bin/sh
# Preloads the disk images of a workspace version and ends when they can be cloned.
#
#   preload.sh MANIFEST NAMESPACE [TIMEOUT]
#
# Exit codes: 0 ready; 1 given up, another run without a change does not help; 2 wrong use; 3 not in time, another run goes on waiting.
# KUBECTL and TERRAIN name other programs than kubectl and terrain.
set -eu

manifest=${1:?"usage: preload.sh MANIFEST NAMESPACE [TIMEOUT]"}
namespace=${2:?"usage: preload.sh MANIFEST NAMESPACE [TIMEOUT]"}
timeout=${3:-2h}
kubectl=${KUBECTL:-kubectl}
terrain=${TERRAIN:-terrain}

# Applying the same again changes nothing and downloads nothing, so a pipeline may run as often as it likes.
sets=$($kubectl apply --namespace "$namespace" --output name --filename "$manifest" | sed -n 's|^datasync[^/]*/||p')
if [ -z "$sets" ]; then
  echo "preload: $manifest holds no DataSync" >&2
  exit 2
fi

# Never satisfied by images of a former version: only by those the manifest names now.
code=0
# shellcheck disable=SC2086 # one word for each set
$terrain image wait --namespace "$namespace" --timeout "$timeout" --datasync $sets || code=$?

case $code in
  0) echo "preload: all images of $sets are ready" ;;
  3) echo "preload: not ready within $timeout; the downloads go on" >&2
     $terrain image queue --namespace "$namespace" >&2 || true ;;
  *) echo "preload: given up; correct the source, or try again with: terrain image sync NAME -n $namespace" >&2
     $terrain image list --namespace "$namespace" >&2 || true ;;
esac
exit "$code"
