// Judges an API server by an operator built with controller-runtime: custom resources, webhooks it serves itself,
// server-side apply, finalizers, status, leader election. Prints "ok" or "FAIL" for every check.
package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"math/big"
	mathrand "math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

const patience = 180 * time.Second

func newScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	return scheme, errors.Join(clientgoscheme.AddToScheme(scheme), apiextensionsv1.AddToScheme(scheme), addWidgets(scheme))
}

type judge struct {
	client.Client
	config    *rest.Config
	namespace string
	keys      string
	authority []byte
	port      int
	failed    bool
}

func (j *judge) check(name string, test func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	if err := test(ctx); err != nil {
		j.failed = true
		fmt.Printf("FAIL %s: %v\n", name, err)
		return
	}
	fmt.Printf("ok   %s\n", name)
}

// eventually asks until it is content; the last complaint is the reason given.
func eventually(ctx context.Context, ask func() error) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		last = ask()
		return last == nil, nil
	})
	if err != nil && last != nil {
		return last
	}
	return err
}

func main() {
	kubeconfig := flag.Lookup("kubeconfig") // controller-runtime brings the flag
	flag.Parse()
	verbose := os.Getenv("OPERATOR_LOG") != ""
	ctrl.SetLogger(zap.New(zap.UseDevMode(true), zap.WriteTo(logTarget(verbose))))
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig.Value.String())
	exitOn(err)
	scheme, err := newScheme()
	exitOn(err)
	api, err := client.New(config, client.Options{Scheme: scheme})
	exitOn(err)
	j := &judge{Client: api, config: config, namespace: fmt.Sprintf("operator-%d", time.Now().UnixNano()%1_000_000)}
	exitOn(j.prepare())
	j.run()
	exitOn(j.cleanUp())
	if j.failed {
		os.Exit(1)
	}
}

func logTarget(verbose bool) *os.File {
	if verbose {
		return os.Stderr
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	exitOn(err)
	return null
}

func exitOn(err error) {
	if err != nil {
		fmt.Println("FAIL", err)
		os.Exit(1)
	}
}

func (j *judge) prepare() error {
	ctx := context.Background()
	keys, err := os.MkdirTemp("", "operator")
	if err != nil {
		return err
	}
	j.keys = keys
	if err := j.makeCertificate(); err != nil {
		return err
	}
	if j.port, err = freePort(); err != nil {
		return err
	}
	return j.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: j.namespace}})
}

// freePort stays below the range from which the kernel gives out client ports, so that nothing takes it between choosing and listening.
func freePort() (port int, err error) {
	for range 200 {
		port = 20000 + mathrand.IntN(12000)
		var listener net.Listener
		if listener, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			return port, listener.Close()
		}
	}
	return 0, err
}

func (j *judge) cleanUp() error {
	ctx := context.Background()
	os.RemoveAll(j.keys)
	return errors.Join(
		client.IgnoreNotFound(j.Delete(ctx, &admissionv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: j.namespace}})),
		client.IgnoreNotFound(j.Delete(ctx, &admissionv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: j.namespace}})),
		client.IgnoreNotFound(j.Delete(ctx, definition())),
		j.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: j.namespace}}))
}

// makeCertificate signs itself, for the loopback address the webhooks are served on.
func (j *judge) makeCertificate() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "operator"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, BasicConstraintsValid: true, IsCA: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	j.authority = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return errors.Join(
		os.WriteFile(filepath.Join(j.keys, "tls.crt"), j.authority, 0o600),
		os.WriteFile(filepath.Join(j.keys, "tls.key"), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private}), 0o600))
}

func (j *judge) run() {
	first, stopFirst := context.WithCancel(context.Background())
	second, stopSecond := context.WithCancel(context.Background())
	defer stopSecond()
	defer stopFirst()
	var firstEnded <-chan error

	j.check("a definition is established", func(ctx context.Context) error {
		crd := definition()
		if err := j.Create(ctx, crd); err != nil {
			return err
		}
		return eventually(ctx, func() error {
			if err := j.Get(ctx, client.ObjectKeyFromObject(crd), crd); err != nil {
				return err
			}
			for _, condition := range crd.Status.Conditions {
				if condition.Type == apiextensionsv1.Established && condition.Status == apiextensionsv1.ConditionTrue {
					return nil
				}
			}
			return fmt.Errorf("conditions are %v", crd.Status.Conditions)
		})
	})
	j.check("an operator becomes leader", func(ctx context.Context) error {
		elected, ended, err := startOperator(first, j.config, "first", j.namespace, j.keys, j.port)
		if err != nil {
			return err
		}
		firstEnded = ended
		return await(ctx, elected, ended)
	})
	j.check("its webhooks are called", j.webhooks)
	j.check("it applies, and reports", j.painted)
	j.check("a rule of the schema holds", func(ctx context.Context) error {
		return refused(j.Create(ctx, j.widget("huge", WidgetSpec{Size: 1000})), "a widget fits on a table")
	})
	j.check("what it owns comes back", j.restored)
	j.check("its finalizer runs and what it owned goes", j.finalized)
	j.check("another replica takes over", func(ctx context.Context) error {
		elected, ended, err := startOperator(second, j.config, "second", j.namespace, j.keys, 0)
		if err != nil {
			return err
		}
		select {
		case <-elected:
			return errors.New("two leaders at once")
		case <-time.After(2 * time.Second):
		}
		// The webhooks go with the first one.
		if err := j.dropWebhooks(ctx); err != nil {
			return err
		}
		stopFirst()
		<-firstEnded
		return await(ctx, elected, ended)
	})
	j.check("and goes on with the work", func(ctx context.Context) error {
		if err := j.Create(ctx, j.widget("later", WidgetSpec{Colour: "blue"})); err != nil {
			return err
		}
		return j.hasPaint(ctx, "later", "blue", "second")
	})
	j.check("the last widget goes before the definition does", func(ctx context.Context) error {
		crd := definition()
		if err := j.Delete(ctx, crd); err != nil {
			return err
		}
		return eventually(ctx, func() error {
			err := j.Get(ctx, client.ObjectKeyFromObject(crd), crd)
			if apierrors.IsNotFound(err) {
				return nil
			}
			return fmt.Errorf("still there: %v %v", err, crd.Status.Conditions)
		})
	})
}

func await(ctx context.Context, elected <-chan struct{}, ended <-chan error) error {
	select {
	case <-elected:
		return nil
	case err := <-ended:
		return fmt.Errorf("ended: %w", err)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func refused(err error, why string) error {
	if err == nil {
		return errors.New("was not refused")
	}
	if !strings.Contains(err.Error(), why) {
		return fmt.Errorf("refused for another reason: %w", err)
	}
	return nil
}

func (j *judge) widget(name string, spec WidgetSpec) *Widget {
	return &Widget{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: j.namespace}, Spec: spec}
}

func (j *judge) clientConfig(path string) admissionv1.WebhookClientConfig {
	url := fmt.Sprintf("https://127.0.0.1:%d%s", j.port, path)
	return admissionv1.WebhookClientConfig{URL: &url, CABundle: j.authority}
}

func (j *judge) webhooks(ctx context.Context) error {
	none := admissionv1.SideEffectClassNone
	rule := func(operations ...admissionv1.OperationType) []admissionv1.RuleWithOperations {
		return []admissionv1.RuleWithOperations{{Operations: operations, Rule: admissionv1.Rule{APIGroups: []string{groupVersion.Group}, APIVersions: []string{"v1"}, Resources: []string{"widgets"}}}}
	}
	here := &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: j.namespace}}
	err := errors.Join(
		j.Create(ctx, &admissionv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: j.namespace}, Webhooks: []admissionv1.MutatingWebhook{{
			Name: "default.judges.lavaflow.dev", ClientConfig: j.clientConfig("/mutate-judges-lavaflow-dev-v1-widget"), NamespaceSelector: here,
			Rules: rule(admissionv1.Create, admissionv1.Update), SideEffects: &none, AdmissionReviewVersions: []string{"v1"}}}}),
		j.Create(ctx, &admissionv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: j.namespace}, Webhooks: []admissionv1.ValidatingWebhook{{
			Name: "validate.judges.lavaflow.dev", ClientConfig: j.clientConfig("/validate-judges-lavaflow-dev-v1-widget"), NamespaceSelector: here,
			Rules: rule(admissionv1.Create, admissionv1.Update, admissionv1.Delete), SideEffects: &none, AdmissionReviewVersions: []string{"v1"}}}}))
	if err != nil {
		return err
	}
	err = eventually(ctx, func() error {
		return refused(j.Create(ctx, j.widget("beige", WidgetSpec{Colour: "beige"}), client.DryRunAll), "nobody wants a beige widget")
	})
	if err != nil {
		return err
	}
	plain := j.widget("plain", WidgetSpec{})
	if err := j.Create(ctx, plain); err != nil {
		return err
	}
	if plain.Spec.Colour != "lava" {
		return fmt.Errorf("the colour was not defaulted: %v", plain.Spec)
	}
	kept := j.widget("kept", WidgetSpec{Colour: "red"})
	kept.Labels = map[string]string{"keep": "yes"}
	if err := j.Create(ctx, kept); err != nil {
		return err
	}
	if err := refused(j.Delete(ctx, kept), "this one stays"); err != nil {
		return err
	}
	return j.Patch(ctx, kept, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"labels":null}}`)))
}

func (j *judge) dropWebhooks(ctx context.Context) error {
	return errors.Join(
		j.Delete(ctx, &admissionv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: j.namespace}}),
		j.Delete(ctx, &admissionv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: j.namespace}}))
}

func (j *judge) hasPaint(ctx context.Context, widget, colour, painter string) error {
	return eventually(ctx, func() error {
		var paint corev1.ConfigMap
		if err := j.Get(ctx, client.ObjectKey{Namespace: j.namespace, Name: widget + "-paint"}, &paint); err != nil {
			return err
		}
		if paint.Data["colour"] != colour || paint.Data["painter"] != painter {
			return fmt.Errorf("paint is %v", paint.Data)
		}
		for _, entry := range paint.ManagedFields {
			if entry.Manager == "painter" && entry.Operation == metav1.ManagedFieldsOperationApply {
				return nil
			}
		}
		return fmt.Errorf("nobody owns the paint: %v", paint.ManagedFields)
	})
}

func (j *judge) painted(ctx context.Context) error {
	if err := j.hasPaint(ctx, "plain", "lava", "first"); err != nil {
		return err
	}
	return eventually(ctx, func() error {
		var widget Widget
		if err := j.Get(ctx, client.ObjectKey{Namespace: j.namespace, Name: "plain"}, &widget); err != nil {
			return err
		}
		if widget.Status.Painted != "lava" || !meta.IsStatusConditionTrue(widget.Status.Conditions, "Ready") || widget.Generation != 1 {
			return fmt.Errorf("widget is %v of generation %d", widget.Status, widget.Generation)
		}
		return nil
	})
}

func (j *judge) restored(ctx context.Context) error {
	paint := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "plain-paint", Namespace: j.namespace}}
	if err := j.Delete(ctx, paint); err != nil {
		return err
	}
	return j.hasPaint(ctx, "plain", "lava", "first")
}

func (j *judge) finalized(ctx context.Context) error {
	if err := j.Delete(ctx, j.widget("plain", WidgetSpec{})); err != nil {
		return err
	}
	return eventually(ctx, func() error {
		for _, object := range []client.Object{j.widget("plain", WidgetSpec{}), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "plain-paint", Namespace: j.namespace}}} {
			if err := j.Get(ctx, client.ObjectKeyFromObject(object), object); !apierrors.IsNotFound(err) {
				return fmt.Errorf("%T is still there: %v", object, err)
			}
		}
		return nil
	})
}
