// The bench's toy controller on controller-runtime, as little of it as does the job.
// Speaks the same lines as the other contenders: see ../contender/report.ts.
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"sync"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	ctrl.SetLogger(logr.Discard())
	go obey()
	ctx := ctrl.SetupSignalHandler()
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	addToScheme(scheme)
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	namespace, lease := os.Getenv("BENCH_NAMESPACE"), os.Getenv("BENCH_LEASE")
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: scheme,
		Cache: cache.Options{
			DefaultNamespaces: map[string]cache.Config{namespace: {}},
			DefaultTransform:  cache.TransformStripManagedFields(),
		},
		Metrics:                       metricsserver.Options{BindAddress: "0"},
		HealthProbeBindAddress:        "0",
		LeaderElection:                lease != "",
		LeaderElectionID:              lease,
		LeaderElectionNamespace:       namespace,
		LeaderElectionReleaseOnCancel: true,
	})
	if err != nil {
		return err
	}
	workers, err := strconv.Atoi(os.Getenv("BENCH_WORKERS"))
	if err != nil {
		return err
	}
	expected, err := strconv.Atoi(os.Getenv("BENCH_EXPECT"))
	if err != nil {
		return err
	}
	err = ctrl.NewControllerManagedBy(manager).
		For(&Widget{}).
		Owns(&corev1.ConfigMap{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		Complete(&reconciler{Client: manager.GetClient(), tally: &tally{expected: expected, seen: map[string]struct{}{}}})
	if err != nil {
		return err
	}
	go announce(ctx, manager.GetCache())
	return manager.Start(ctx)
}

// announce asks for both kinds, so that their caches fill also while another process leads.
func announce(ctx context.Context, caches cache.Cache) {
	for _, object := range []client.Object{&Widget{}, &corev1.ConfigMap{}} {
		if _, err := caches.GetInformer(ctx, object); err != nil {
			return
		}
	}
	if caches.WaitForCacheSync(ctx) {
		fmt.Println("synced")
	}
}

// obey does what the bench asks for, and ends with it.
func obey() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if lines.Text() == "collect" {
			// Twice, because pools give up what they hold only at the second.
			debug.FreeOSMemory()
			debug.FreeOSMemory()
			fmt.Println("collected")
		}
	}
	os.Exit(0)
}

// tally tells when every object has been looked at.
type tally struct {
	mutex    sync.Mutex
	expected int
	seen     map[string]struct{}
}

func (t *tally) passed(name string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if len(t.seen) >= t.expected {
		return
	}
	t.seen[name] = struct{}{}
	if len(t.seen) == t.expected {
		fmt.Println("settled")
	}
}
