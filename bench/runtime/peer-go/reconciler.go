package main

import (
	"context"
	"maps"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

const (
	fieldManager = "bench-go"
	finalizer    = "bench.terrain.dev/cleanup"
)

type reconciler struct {
	client.Client
	tally *tally
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	err := r.reconcile(ctx, request)
	if err == nil {
		r.tally.passed(request.Name)
	}
	return ctrl.Result{}, err
}

func (r *reconciler) reconcile(ctx context.Context, request ctrl.Request) error {
	var widget Widget
	if err := r.Get(ctx, request.NamespacedName, &widget); err != nil {
		return client.IgnoreNotFound(err)
	}
	if widget.DeletionTimestamp != nil {
		return r.cleanUp(ctx, &widget)
	}
	if err := r.ensureConfigMap(ctx, &widget); err != nil {
		return err
	}
	return r.ensureStatus(ctx, &widget)
}

func (r *reconciler) cleanUp(ctx context.Context, widget *Widget) error {
	if !controllerutil.ContainsFinalizer(widget, finalizer) {
		return nil
	}
	child := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: widget.Name, Namespace: widget.Namespace}}
	if err := r.Delete(ctx, child); client.IgnoreNotFound(err) != nil {
		return err
	}
	before := widget.DeepCopyObject().(*Widget)
	controllerutil.RemoveFinalizer(widget, finalizer)
	return client.IgnoreNotFound(r.Patch(ctx, widget, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})))
}

func (r *reconciler) ensureConfigMap(ctx context.Context, widget *Widget) error {
	data := map[string]string{"size": strconv.FormatInt(widget.Spec.Size, 10), "text": widget.Spec.Text}
	var child corev1.ConfigMap
	err := r.Get(ctx, client.ObjectKeyFromObject(widget), &child)
	if err == nil {
		if maps.Equal(child.Data, data) {
			return nil
		}
		child.Data = data
		return r.Update(ctx, &child)
	}
	if !apierrors.IsNotFound(err) {
		return err
	}
	child = corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: widget.Name, Namespace: widget.Namespace}, Data: data}
	if err := controllerutil.SetControllerReference(widget, &child, r.Scheme()); err != nil {
		return err
	}
	// The cache may be behind our own create; whoever has the name then is us.
	if err := r.Create(ctx, &child, client.FieldOwner(fieldManager)); !apierrors.IsAlreadyExists(err) {
		return err
	}
	return nil
}

func (r *reconciler) ensureStatus(ctx context.Context, widget *Widget) error {
	if widget.Status.ObservedGeneration == widget.Generation && widget.Status.ConfigMap == widget.Name {
		return nil
	}
	status := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": groupVersion.String(),
		"kind":       "Widget",
		"metadata":   map[string]any{"name": widget.Name, "namespace": widget.Namespace},
		"status":     map[string]any{"observedGeneration": widget.Generation, "configMap": widget.Name},
	}}
	return r.Status().Apply(ctx, client.ApplyConfigurationFromUnstructured(status), client.FieldOwner(fieldManager), client.ForceOwnership)
}
