module terrain.dev/embedded/upstream

go 1.26.0

require (
	github.com/k8snetworkplumbingwg/network-attachment-definition-client v1.7.7
	github.com/kubernetes-csi/external-snapshotter/client/v8 v8.6.0
	kubevirt.io/containerized-data-importer v1.65.0
	kubevirt.io/kubevirt v1.9.0
	sigs.k8s.io/kwok v0.8.0
)
