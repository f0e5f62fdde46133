// Command cases prints request bodies and what upstream's decoder makes of them, one JSON object per line, to compare
// Lavaflow's decoder with.
//
// The bodies are upstream's own examples of every kind, changed at random: fields dropped, emptied, repeated, renamed, given
// values of other types.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"regexp"
	"sort"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

type outcome struct {
	Body     []byte          `json:"body"` // may be no UTF-8, so it is printed in base64
	Group    string          `json:"group"`
	Version  string          `json:"version"`
	Kind     string          `json:"kind"`
	Object   json.RawMessage `json:"object,omitempty"`
	Stored   []byte          `json:"stored,omitempty"` // the object in protobuf
	Problems []string        `json:"problems,omitempty"`
	Error    string          `json:"error,omitempty"`
}

var stable = regexp.MustCompile(`\.v[0-9]+\.[A-Za-z]+\.json$`)

func main() {
	examples := flag.String("examples", "", "directory of upstream's examples: k8s.io/api/testdata/HEAD")
	count := flag.Int("count", 10000, "how many bodies")
	seed := flag.Int64("seed", 1, "of the random changes")
	flag.Parse()

	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, apiextensionsv1.AddToScheme, apiregistrationv1.AddToScheme} {
		if err := add(s); err != nil {
			panic(err)
		}
	}
	bodies := readExamples(*examples)
	random := rand.New(rand.NewSource(*seed))
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	for i := range *count {
		document := parse(bodies[i%len(bodies)])
		for range random.Intn(4) {
			document.change(random)
		}
		var body bytes.Buffer
		document.print(&body)
		if random.Intn(20) == 0 {
			breakText(random, &body)
		}
		if result, ok := decode(s, body.Bytes()); ok {
			if err := lines.Encode(result); err != nil {
				panic(err)
			}
		}
	}
}

func readExamples(directory string) [][]byte {
	files, err := filepath.Glob(filepath.Join(directory, "*.json"))
	if err != nil || len(files) == 0 {
		panic(fmt.Sprintf("no examples in %q: %v", directory, err))
	}
	sort.Strings(files)
	var bodies [][]byte
	for _, file := range files {
		if !stable.MatchString(file) {
			continue
		}
		body, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		bodies = append(bodies, body)
	}
	return append(bodies, []byte(schemaExample))
}

// decode reads a body as the server does, and writes and reads it again as its storage does.
func decode(s *runtime.Scheme, body []byte) (outcome, bool) {
	strict := serializer.NewSerializerWithOptions(serializer.DefaultMetaFactory, s, s, serializer.SerializerOptions{Strict: true})
	result := outcome{Body: body}
	object, kind, err := strict.Decode(body, nil, nil)
	if kind != nil {
		result.Group, result.Version, result.Kind = kind.Group, kind.Version, kind.Kind
	}
	if problems, ok := runtime.AsStrictDecodingError(err); ok {
		for _, problem := range problems.Errors() {
			result.Problems = append(result.Problems, problem.Error())
		}
		err = nil
	}
	if err != nil {
		if runtime.IsNotRegisteredError(err) || runtime.IsMissingKind(err) || runtime.IsMissingVersion(err) {
			return result, false
		}
		result.Error = err.Error()
		return result, true
	}
	var stored bytes.Buffer
	storage := protobuf.NewSerializer(s, s)
	if err := storage.Encode(object, &stored); err != nil {
		return result, false
	}
	result.Stored = bytes.Clone(stored.Bytes())
	object, _, err = storage.Decode(stored.Bytes(), nil, nil)
	if err != nil {
		return result, false
	}
	var answer bytes.Buffer
	if err := strict.Encode(object, &answer); err != nil {
		return result, false
	}
	result.Object = answer.Bytes()
	return result, true
}

const schemaExample = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"a.b.c"},
"spec":{"group":"b.c","scope":"Namespaced","names":{"plural":"a","kind":"A","shortNames":["x"]},"versions":[{"name":"v1","served":true,"storage":true,
"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","required":["a"],"properties":{"a":{"type":"integer","minimum":1.5,"maximum":7,
"default":{"x":[1,null]},"enum":[1,"a",null]},"b":{"type":"array","items":{"type":"string","pattern":"x"}},"c":{"additionalProperties":true},"d":{"additionalProperties":{"type":"string"}},
"e":{"x-kubernetes-int-or-string":true,"nullable":true,"multipleOf":0.1}}}},"oneOf":[{"required":["spec"]}],"not":{"type":"string"}}},
"subresources":{"status":{},"scale":{"specReplicasPath":".a","statusReplicasPath":".b"}},"additionalPrinterColumns":[{"name":"A","type":"string","jsonPath":".a"}]}]}}`
