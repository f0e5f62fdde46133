package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	applymeta "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

const finalizer = "judges.lavaflow.dev/paint"

// painter looks after widgets: a config map by server-side apply, a status, a finalizer.
type painter struct {
	client.Client
	name string
}

func (p *painter) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var widget Widget
	if err := p.Get(ctx, request.NamespacedName, &widget); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !widget.DeletionTimestamp.IsZero() {
		if controllerutil.RemoveFinalizer(&widget, finalizer) {
			return ctrl.Result{}, p.Update(ctx, &widget)
		}
		return ctrl.Result{}, nil
	}
	if controllerutil.AddFinalizer(&widget, finalizer) {
		return ctrl.Result{}, p.Update(ctx, &widget)
	}
	owner := applymeta.OwnerReference().WithAPIVersion(groupVersion.String()).WithKind("Widget").
		WithName(widget.Name).WithUID(widget.UID).WithController(true).WithBlockOwnerDeletion(true)
	paint := applycore.ConfigMap(widget.Name+"-paint", widget.Namespace).
		WithOwnerReferences(owner).
		WithData(map[string]string{"colour": widget.Spec.Colour, "painter": p.name})
	if err := p.Apply(ctx, paint, client.FieldOwner("painter"), client.ForceOwnership); err != nil {
		return ctrl.Result{}, err
	}
	before := widget.DeepCopyObject().(*Widget)
	widget.Status.Painted = widget.Spec.Colour
	meta.SetStatusCondition(&widget.Status.Conditions, metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue, Reason: "Painted", Message: "by " + p.name, ObservedGeneration: widget.Generation})
	return ctrl.Result{}, p.Status().Patch(ctx, &widget, client.MergeFrom(before))
}

// rules is what admission does to widgets.
type rules struct{}

func (rules) Default(_ context.Context, widget *Widget) error {
	if widget.Spec.Colour == "" {
		widget.Spec.Colour = "lava"
	}
	return nil
}

func (rules) ValidateCreate(_ context.Context, widget *Widget) (admission.Warnings, error) {
	if widget.Spec.Colour == "beige" {
		return nil, errors.New("nobody wants a beige widget")
	}
	if widget.Spec.Colour == "grey" {
		return admission.Warnings{"grey is dull"}, nil
	}
	return nil, nil
}

func (r rules) ValidateUpdate(ctx context.Context, _, widget *Widget) (admission.Warnings, error) {
	return r.ValidateCreate(ctx, widget)
}

func (rules) ValidateDelete(_ context.Context, widget *Widget) (admission.Warnings, error) {
	if widget.Labels["keep"] != "" {
		return nil, errors.New("this one stays")
	}
	return nil, nil
}

// startOperator runs one replica of the operator until its context ends.
func startOperator(ctx context.Context, config *rest.Config, name, namespace, certificates string, port int) (<-chan struct{}, <-chan error, error) {
	scheme, err := newScheme()
	if err != nil {
		return nil, nil, err
	}
	lease, renew, retry := 60*time.Second, 40*time.Second, time.Second
	options := ctrl.Options{
		Scheme: scheme, LeaderElection: true, LeaderElectionID: "painter", LeaderElectionNamespace: namespace,
		LeaderElectionReleaseOnCancel: true, LeaseDuration: &lease, RenewDeadline: &renew, RetryPeriod: &retry,
		Metrics: metricsserver.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
		Cache:   cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
	}
	if port > 0 {
		options.WebhookServer = webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: port, CertDir: certificates})
	}
	manager, err := ctrl.NewManager(config, options)
	if err != nil {
		return nil, nil, fmt.Errorf("manager: %w", err)
	}
	unchecked := true
	err = ctrl.NewControllerManagedBy(manager).For(&Widget{}).Owns(&corev1.ConfigMap{}).
		WithOptions(controller.Options{SkipNameValidation: &unchecked}).
		Complete(&painter{Client: manager.GetClient(), name: name})
	if err != nil {
		return nil, nil, fmt.Errorf("controller: %w", err)
	}
	if port > 0 {
		if err := ctrl.NewWebhookManagedBy(manager, &Widget{}).WithDefaulter(rules{}).WithValidator(rules{}).Complete(); err != nil {
			return nil, nil, fmt.Errorf("webhook: %w", err)
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(ctx) }()
	return manager.Elected(), ended, nil
}
