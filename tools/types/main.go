// Command types prints what Lavaflow must know about Kubernetes' built-in types, one line per kind and per struct.
//
// The format is described in kube/src/main/java/lavaflow/kube/BuiltinTypes.java, its only reader.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"sort"

	admissionv1 "k8s.io/api/admission/v1"
	admissionv1beta1 "k8s.io/api/admission/v1beta1"
	imagepolicyv1alpha1 "k8s.io/api/imagepolicy/v1alpha1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// Only stable versions are on in a server that nobody configured otherwise.
var stable = regexp.MustCompile(`^v[0-9]+$`)

func main() {
	documents := flag.String("documents", "", "the api directory of the module k8s.io/kubernetes")
	all := flag.Bool("all", false, "print alpha and beta versions as well")
	flag.Parse()

	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	fmt.Fprintln(out, "# Written by tools/types/generate; the format is described in BuiltinTypes.java")

	known := knownTypes(*all)
	for _, group := range readDiscovery(*documents) {
		printGroup(out, group, known)
	}
	printOtherKinds(out, known)

	structs := structsOf(known)
	schemas := readSchemas(*documents)
	for _, s := range structs {
		printStruct(out, s, schemas[modelName(s)])
	}
}

// knownTypes maps each kind that is served, or that a client may send, to its Go type.
func knownTypes(all bool) map[schema.GroupVersionKind]reflect.Type {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		scheme.AddToScheme, apiextensionsv1.AddToScheme, apiregistrationv1.AddToScheme,
		admissionv1.AddToScheme, admissionv1beta1.AddToScheme, imagepolicyv1alpha1.AddToScheme,
	} {
		if err := add(s); err != nil {
			panic(err)
		}
	}
	metav1.AddToGroupVersion(s, metav1.SchemeGroupVersion)
	if err := metav1.AddMetaToScheme(s); err != nil {
		panic(err)
	}

	known := map[schema.GroupVersionKind]reflect.Type{}
	for kind, goType := range s.AllKnownTypes() {
		inMeta := goType.PkgPath() == reflect.TypeOf(metav1.ObjectMeta{}).PkgPath()
		if kind.Version == runtime.APIVersionInternal || kind.Kind == "Table" || goType == reflect.TypeOf(metav1.InternalEvent{}) {
			continue
		}
		// Options of requests are registered with every group; once is enough for us.
		if inMeta && kind.GroupVersion() != (schema.GroupVersion{Version: "v1"}) && kind.GroupVersion() != metav1.SchemeGroupVersion {
			continue
		}
		if all || stable.MatchString(kind.Version) {
			known[kind] = goType
		}
	}
	return known
}

// structsOf lists every struct that the kinds reach, sorted by name.
func structsOf(known map[schema.GroupVersionKind]reflect.Type) []reflect.Type {
	found := map[string]reflect.Type{}
	var visit func(t reflect.Type)
	visit = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			visit(t.Elem())
		case reflect.Struct:
			if choices, ok := choicesOf(t); ok {
				for _, choice := range choices {
					visit(choice)
				}
				return
			}
			if scalarCode(t) != "" || found[modelName(t)] != nil {
				return
			}
			found[modelName(t)] = t
			for _, f := range fieldsOf(t) {
				visit(f.goType)
			}
		}
	}
	for _, t := range known {
		visit(t)
	}
	structs := make([]reflect.Type, 0, len(found))
	for _, t := range found {
		structs = append(structs, t)
	}
	sort.Slice(structs, func(i, j int) bool { return modelName(structs[i]) < modelName(structs[j]) })
	return structs
}
