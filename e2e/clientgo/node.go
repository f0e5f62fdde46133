package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/transport/spdy"
	"k8s.io/client-go/util/exec"
)

var nodeChecks = []check{
	{"commands over SPDY", func(ctx context.Context, j *judge) error { return commands(ctx, j, remotecommand.NewSPDYExecutor) }},
	{"commands over WebSockets", func(ctx context.Context, j *judge) error {
		return commands(ctx, j, func(config *rest.Config, _ string, location *url.URL) (remotecommand.Executor, error) {
			return remotecommand.NewWebSocketExecutor(config, "GET", location.String())
		})
	}},
	{"ports over SPDY", ports},
	{"logs as a stream", logs},
}

// program says "up" when it listens, at localhost only.
const program = `
import http.server, os
os.chdir("/tmp")
open("page", "w").write("page\n")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 8000), http.server.SimpleHTTPRequestHandler)
print("up", flush=True)
server.serve_forever()
`

// sleeper is a pod that runs until it is deleted.
func sleeper(ctx context.Context, j *judge) (*corev1.Pod, error) {
	wanted := pod("sleeper")
	none := int64(0)
	wanted.Spec.TerminationGracePeriodSeconds = &none
	wanted.Spec.Containers[0].Image = "host"
	wanted.Spec.Containers[0].Command = []string{"python3", "-c", program}
	made, err := createPod(ctx, j, wanted)
	if err != nil {
		return nil, err
	}
	return made, eventually(ctx, "the pod is up", func() (bool, error) {
		said, err := j.client.CoreV1().Pods(j.namespace).GetLogs(made.Name, &corev1.PodLogOptions{}).DoRaw(ctx)
		return err == nil && string(said) == "up\n", nil
	})
}

type executorOf func(*rest.Config, string, *url.URL) (remotecommand.Executor, error)

func commands(ctx context.Context, j *judge, executor executorOf) error {
	made, err := sleeper(ctx, j)
	if err != nil {
		return err
	}
	run := func(in io.Reader, command ...string) (string, string, error) {
		request := j.client.CoreV1().RESTClient().Post().Resource("pods").Namespace(j.namespace).Name(made.Name).SubResource("exec").
			VersionedParams(&corev1.PodExecOptions{Command: command, Stdin: in != nil, Stdout: true, Stderr: true}, scheme.ParameterCodec)
		runner, err := executor(j.config, "POST", request.URL())
		if err != nil {
			return "", "", err
		}
		var out, errors bytes.Buffer
		err = runner.StreamWithContext(ctx, remotecommand.StreamOptions{Stdin: in, Stdout: &out, Stderr: &errors})
		return out.String(), errors.String(), err
	}
	if out, wrong, err := run(nil, "sh", "-c", "echo out; echo wrong >&2"); err != nil || out != "out\n" || wrong != "wrong\n" {
		return fmt.Errorf("said %q and %q: %w", out, wrong, err)
	}
	big := make([]byte, 5_000_000)
	rand.Read(big)
	if out, _, err := run(bytes.NewReader(big), "cat"); err != nil || out != string(big) {
		return fmt.Errorf("%d of %d bytes came back: %w", len(out), len(big), err)
	}
	_, _, err = run(nil, "sh", "-c", "exit 7")
	var code exec.CodeExitError
	if !errors.As(err, &code) || code.Code != 7 {
		return fmt.Errorf("exit 7 became %v", err)
	}
	return nil
}

func ports(ctx context.Context, j *judge) error {
	made, err := sleeper(ctx, j)
	if err != nil {
		return err
	}
	transport, upgrader, err := spdy.RoundTripperFor(j.config)
	if err != nil {
		return err
	}
	location := j.client.CoreV1().RESTClient().Post().Resource("pods").Namespace(j.namespace).Name(made.Name).SubResource("portforward").URL()
	dialer := spdy.NewDialer(upgrader, &http.Client{Transport: transport}, "POST", location)
	stop, ready := make(chan struct{}), make(chan struct{})
	forwarder, err := portforward.NewOnAddresses(dialer, []string{"127.0.0.1"}, []string{"0:8000"}, stop, ready, io.Discard, io.Discard)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- forwarder.ForwardPorts() }()
	select {
	case err := <-ended:
		return err
	case <-ready:
	}
	defer close(stop)
	forwarded, err := forwarder.GetPorts()
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	return eventually(ctx, "ten answers", func() (bool, error) {
		for range 10 {
			answer, err := client.Get(fmt.Sprintf("http://127.0.0.1:%d/page", forwarded[0].Local))
			if err != nil {
				return false, nil
			}
			body, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			if err != nil || string(body) != "page\n" {
				return false, fmt.Errorf("got %q: %w", body, err)
			}
		}
		return true, nil
	})
}

func logs(ctx context.Context, j *judge) error {
	made, err := sleeper(ctx, j)
	if err != nil {
		return err
	}
	stream, err := j.client.CoreV1().Pods(j.namespace).GetLogs(made.Name, &corev1.PodLogOptions{Follow: true}).Stream(ctx)
	if err != nil {
		return err
	}
	defer stream.Close()
	first := make([]byte, 3)
	if _, err := io.ReadFull(stream, first); err != nil || !strings.HasPrefix(string(first), "up\n") {
		return fmt.Errorf("heard %q: %w", first, err)
	}
	return j.client.CoreV1().Pods(j.namespace).Delete(ctx, made.Name, metav1.DeleteOptions{})
}
