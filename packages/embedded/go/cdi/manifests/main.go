// Prints the objects that CDI's operator would install beside its definitions, as one JSON array: roles, bindings, service accounts, Services,
// Deployments and webhooks, from upstream's own code, so that they cannot differ from it.
// Arguments: namespace, then the images of controller, apiserver, importer, cloner, uploadserver.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"kubevirt.io/containerized-data-importer/pkg/operator/resources/cluster"
	"kubevirt.io/containerized-data-importer/pkg/operator/resources/namespaced"
)

func main() {
	if len(os.Args) != 7 {
		fail(fmt.Errorf("want 6 arguments, got %d", len(os.Args)-1))
	}
	namespace := os.Args[1]
	clusterArgs := &cluster.FactoryArgs{Namespace: namespace, Logger: logr.Discard()}
	namespacedArgs := &namespaced.FactoryArgs{
		Namespace:           namespace,
		ControllerImage:     os.Args[2],
		APIServerImage:      os.Args[3],
		ImporterImage:       os.Args[4],
		ClonerImage:         os.Args[5],
		UploadServerImage:   os.Args[6],
		OvirtPopulatorImage: "none",
		UploadProxyImage:    "none",
		Verbosity:           "1",
		PullPolicy:          "Never",
		OperatorVersion:     "v1.65.0",
	}
	var objects []client.Object
	add := func(more []client.Object, err error) {
		if err != nil {
			fail(err)
		}
		objects = append(objects, more...)
	}
	for _, group := range []string{"apiserver-rbac", "controller-rbac", "aggregate-roles"} {
		add(cluster.CreateStaticResourceGroup(group, clusterArgs))
	}
	for _, group := range []string{"apiserver", "controller"} {
		add(namespaced.CreateResourceGroup(group, namespacedArgs))
	}
	add(cluster.CreateDynamicResourceGroup("apiserver-registrations", clusterArgs))
	if err := json.NewEncoder(os.Stdout).Encode(objects); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
