package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"path"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// webhook is what a container would run.
type webhook struct {
	port        string
	certificate tls.Certificate
}

// webhookOf reads a container's arguments as the test image would; nil for everything that is no webhook.
func webhookOf(ctx context.Context, client kubernetes.Interface, pod *corev1.Pod, container *corev1.Container) (*webhook, error) {
	arguments := container.Args
	if !strings.Contains(container.Image, "agnhost") || len(arguments) == 0 ||
		(arguments[0] != "webhook" && arguments[0] != "crd-conversion-webhook") {
		return nil, nil
	}
	flags := map[string]string{"port": "443"}
	for _, each := range arguments[1:] {
		if name, value, found := strings.Cut(strings.TrimLeft(each, "-"), "="); found {
			flags[name] = value
		}
	}
	certificate, err := mounted(ctx, client, pod, container, flags["tls-cert-file"])
	if err != nil {
		return nil, err
	}
	key, err := mounted(ctx, client, pod, container, flags["tls-private-key-file"])
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return nil, err
	}
	return &webhook{port: flags["port"], certificate: pair}, nil
}

// mounted reads a file of a container, which has to come from a secret.
func mounted(ctx context.Context, client kubernetes.Interface, pod *corev1.Pod, container *corev1.Container, file string) ([]byte, error) {
	for _, mount := range container.VolumeMounts {
		if path.Dir(file) != path.Clean(mount.MountPath) {
			continue
		}
		for _, volume := range pod.Spec.Volumes {
			if volume.Name != mount.Name || volume.Secret == nil {
				continue
			}
			secret, err := client.CoreV1().Secrets(pod.Namespace).Get(ctx, volume.Secret.SecretName, metav1.GetOptions{})
			if err != nil {
				return nil, err
			}
			return secret.Data[path.Base(file)], nil
		}
	}
	return nil, fmt.Errorf("no secret is mounted where %s would be", file)
}

// serve answers at the address until stopped.
func (w *webhook) serve(address netip.Addr, verdicts *url.URL) (*served, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort(address.String(), w.port))
	if err != nil {
		return nil, err
	}
	proxy := httputil.NewSingleHostReverseProxy(verdicts)
	proxy.Transport = &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} // loopback, a certificate made for nobody
	proxy.ErrorLog = log.New(io.Discard, "", 0)                                               // callers give up on slow ones: that is tested
	server := &http.Server{
		Handler:   proxy,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{w.certificate}},
		ErrorLog:  proxy.ErrorLog, // callers without the right authority: likewise
	}
	go server.ServeTLS(listener, "", "")
	return &served{stop: func() { server.Close() }, ready: func() bool { return true }}, nil
}
