module terrain.dev/embedded/csi-sanity

go 1.26.0

require github.com/kubernetes-csi/csi-test/v5 v5.4.0
