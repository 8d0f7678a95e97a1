module terrain.dev/embedded/csi

go 1.26.0

require (
	github.com/container-storage-interface/spec v1.12.0
	k8s.io/kubelet v0.36.3
)
