package main

import (
	"context"
	"crypto/tls"
	"io"
	"log"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

const loopback = "127.0.0.1"

// process is a container whose program there is as a binary here: the API server of the aggregation tests, and its etcd.
type process struct {
	binary    string
	arguments []string
	files     map[string][]byte // as the program finds them, below its directory
}

// processOf is nil for all other containers.
func processOf(ctx context.Context, client kubernetes.Interface, config *rest.Config, programs string, pod *corev1.Pod, container *corev1.Container) (*process, error) {
	image, _, _ := strings.Cut(path.Base(container.Image), ":")
	words := append(append([]string{}, container.Command...), container.Args...)
	if len(container.Command) == 0 {
		words = append([]string{image}, words...)
	}
	made := &process{binary: filepath.Join(programs, path.Base(words[0])), arguments: words[1:], files: map[string][]byte{}}
	if programs == "" || image != path.Base(words[0]) || image != "etcd" && image != "sample-apiserver" {
		return nil, nil
	}
	if image == "etcd" {
		peer := "http://" + loopback + ":2380"
		made.arguments = append(made.arguments, "--data-dir=data", "--listen-peer-urls="+peer,
			"--initial-advertise-peer-urls="+peer, "--initial-cluster=default="+peer)
		return made, nil
	}
	for i, argument := range made.arguments {
		name, file, found := strings.Cut(argument, "=")
		if !found || !strings.HasSuffix(name, "-file") {
			continue
		}
		content, err := mounted(ctx, client, pod, container, file)
		if err != nil {
			return nil, err
		}
		made.files[path.Base(file)] = content
		made.arguments[i] = name + "=" + path.Base(file)
	}
	account, err := accountOf(ctx, client, config, pod)
	if err != nil {
		return nil, err
	}
	made.files["kubeconfig"] = account
	made.arguments = append(made.arguments, "--bind-address="+loopback,
		"--kubeconfig=kubeconfig", "--authentication-kubeconfig=kubeconfig", "--authorization-kubeconfig=kubeconfig")
	return made, nil
}

// accountOf is what a pod would find in its volume: who it is, and where the API server is.
func accountOf(ctx context.Context, client kubernetes.Interface, config *rest.Config, pod *corev1.Pod) ([]byte, error) {
	request := &authenticationv1.TokenRequest{}
	token, err := client.CoreV1().ServiceAccounts(pod.Namespace).CreateToken(ctx, pod.Spec.ServiceAccountName, request, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	return clientcmd.Write(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"c": {Server: config.Host, CertificateAuthorityData: config.CAData}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"u": {Token: token.Status.Token}},
		Contexts:       map[string]*clientcmdapi.Context{"x": {Cluster: "c", AuthInfo: "u", Namespace: pod.Namespace}},
		CurrentContext: "x",
	})
}

// serve runs the program, again whenever it ends, with its loopback being the pod's address.
func (p *process) serve(address netip.Addr) (*served, error) {
	directory, err := os.MkdirTemp("", "stand-in-")
	if err != nil {
		return nil, err
	}
	for name, content := range p.files {
		if err := os.WriteFile(filepath.Join(directory, name), content, 0o600); err != nil {
			return nil, err
		}
	}
	arguments := make([]string, len(p.arguments))
	for i, each := range p.arguments {
		arguments[i] = strings.ReplaceAll(each, loopback, address.String())
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			command := exec.CommandContext(ctx, p.binary, arguments...)
			command.Dir, command.Stdout = directory, io.Discard
			said := &tail{}
			command.Stderr = said
			err := command.Run()
			if ctx.Err() == nil {
				log.Printf("%s ended: %v: %s", filepath.Base(p.binary), err, said.text)
				time.Sleep(time.Second)
			}
		}
	}()
	stop := func() {
		cancel()
		<-ended
		os.RemoveAll(directory)
	}
	return &served{stop: stop, ready: p.readiness(address)}, nil
}

func (p *process) readiness(address netip.Addr) func() bool {
	if filepath.Base(p.binary) == "etcd" {
		return func() bool { return true }
	}
	client := &http.Client{Timeout: time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	return func() bool {
		response, err := client.Get("https://" + address.String() + "/readyz")
		if err != nil {
			return false
		}
		response.Body.Close()
		return response.StatusCode == http.StatusOK
	}
}

// tail keeps the end of what a program said.
type tail struct{ text []byte }

func (t *tail) Write(some []byte) (int, error) {
	t.text = append(t.text, some...)
	t.text = t.text[max(0, len(t.text)-500):]
	return len(some), nil
}
