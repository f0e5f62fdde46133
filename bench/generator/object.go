package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

const namespace = "bench"

var protobufMagic = []byte("k8s\x00")

type message interface {
	Marshal() ([]byte, error)
}

func encode(o *options, kind string, object message) ([]byte, error) {
	if !o.protobuf {
		return json.Marshal(object)
	}
	raw, err := object.Marshal()
	if err != nil {
		return nil, err
	}
	envelope := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: "v1", Kind: kind}, Raw: raw}
	content, err := envelope.Marshal()
	return append(bytes.Clone(protobufMagic), content...), err
}

// configMap is an object whose payload makes it about as large as asked.
func configMap(o *options, name, revision string, data map[string]string) ([]byte, error) {
	return encode(o, "ConfigMap", &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, ResourceVersion: revision},
		Data:       data,
	})
}

// pod is about 1 KB as JSON when it is sent; defaults and managed fields come on top on the server.
func pod(o *options, name string) ([]byte, error) {
	no := false
	return encode(o, "Pod", &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: namespace,
			Labels:      map[string]string{"app": "bench", "pod-template-hash": "5d4f8c7b9d"},
			Annotations: map[string]string{"note": strings.Repeat("x", max(0, o.size-500))},
		},
		Spec: corev1.PodSpec{
			AutomountServiceAccountToken: &no,
			NodeName:                     "node-1",
			Containers: []corev1.Container{{
				Name: "main", Image: "registry.example.com/bench/main:1.0", Command: []string{"sleep", "3600"},
				Env: []corev1.EnvVar{{Name: "MODE", Value: "bench"}, {Name: "RANK", Value: "0"}},
			}},
		},
	})
}

func newObject(o *options, name string) ([]byte, error) {
	if o.kind == "pods" {
		return pod(o, name)
	}
	return configMap(o, name, "", map[string]string{"payload": strings.Repeat("x", o.size)})
}

func collection(kind string) string { return "/api/v1/namespaces/" + namespace + "/" + kind }

// resourceVersion finds an object's revision without decoding all of it.
func resourceVersion(o *options, content []byte) (string, error) {
	if o.protobuf {
		envelope, object := runtime.Unknown{}, corev1.ConfigMap{}
		if err := envelope.Unmarshal(bytes.TrimPrefix(content, protobufMagic)); err != nil {
			return "", err
		}
		err := object.Unmarshal(envelope.Raw)
		return object.ResourceVersion, err
	}
	revision, found := between(content, `"resourceVersion":"`, `"`)
	if !found {
		return "", fmt.Errorf("no resourceVersion in %.200s", content)
	}
	return string(revision), nil
}

func between(content []byte, before, after string) ([]byte, bool) {
	_, rest, found := bytes.Cut(content, []byte(before))
	if !found {
		return nil, false
	}
	value, _, found := bytes.Cut(rest, []byte(after))
	return value, found
}

// prepare makes what every kind of work needs: a namespace, and the service account that pods ask for.
func prepare(c *client) error {
	asJSON := *c
	asJSON.media = "application/json"
	for _, object := range [][2]string{
		{"/api/v1/namespaces", namespace},
		{collection("serviceaccounts"), "default"},
	} {
		code, content, err := asJSON.call("POST", object[0], []byte(`{"metadata":{"name":"`+object[1]+`"}}`))
		if err == nil && code != http.StatusCreated && code != http.StatusConflict {
			err = fmt.Errorf("%s: %d %s", object[0], code, content)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
