module terrain.dev/embedded/kube-router

go 1.26.0

require github.com/cloudnativelabs/kube-router/v2 v2.10.0

replace github.com/vishvananda/netlink => github.com/vishvananda/netlink v1.3.1
