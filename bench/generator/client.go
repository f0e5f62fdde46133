package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"sigs.k8s.io/yaml"
)

// server is where requests go and how they are secured, as the first entries of a kubeconfig say.
type server struct {
	url string
	tls *tls.Config
}

type kubeconfig struct {
	Clusters []struct {
		Cluster struct {
			Server    string `json:"server"`
			Authority string `json:"certificate-authority-data"`
		} `json:"cluster"`
	} `json:"clusters"`
	Users []struct {
		User struct {
			Certificate string `json:"client-certificate-data"`
			Key         string `json:"client-key-data"`
		} `json:"user"`
	} `json:"users"`
}

func readKubeconfig(path string) (*server, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	config := kubeconfig{}
	if err := yaml.Unmarshal(text, &config); err != nil {
		return nil, err
	}
	if len(config.Clusters) == 0 || len(config.Users) == 0 {
		return nil, fmt.Errorf("%s names no cluster or no user", path)
	}
	cluster, user := config.Clusters[0].Cluster, config.Users[0].User
	parts := [3][]byte{}
	for i, data := range []string{cluster.Authority, user.Certificate, user.Key} {
		if parts[i], err = base64.StdEncoding.DecodeString(data); err != nil {
			return nil, err
		}
	}
	pair, err := tls.X509KeyPair(parts[1], parts[2])
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(parts[0])
	return &server{cluster.Server, &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}}}, nil
}

// client is one user of the server with a connection of its own.
type client struct {
	server *server
	http   *http.Client
	media  string
}

func (s *server) newClient(o *options) *client {
	transport := &http.Transport{
		TLSClientConfig:    s.tls.Clone(),
		ForceAttemptHTTP2:  !o.http1,
		DisableCompression: true,
		MaxConnsPerHost:    1,
		ReadBufferSize:     64 << 10,
	}
	if o.http1 {
		transport.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
	}
	media := "application/json"
	if o.protobuf {
		media = "application/vnd.kubernetes.protobuf"
	}
	return &client{s, &http.Client{Transport: transport}, media}
}

func (c *client) open(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.server.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", c.media)
	request.Header.Set("User-Agent", "lavaflow-bench")
	if body != nil {
		request.Header.Set("Content-Type", c.media)
	}
	return c.http.Do(request)
}

// call sends one request and reads the whole answer.
func (c *client) call(method, path string, body []byte) (int, []byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	answer, err := c.open(ctx, method, path, body)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	return answer.StatusCode, content, err
}

// must is call where anything but success is an error.
func (c *client) must(method, path string, body []byte) ([]byte, error) {
	code, content, err := c.call(method, path, body)
	if err == nil && code >= 300 {
		err = fmt.Errorf("%s %s: %d %.300s", method, path, code, content)
	}
	return content, err
}
