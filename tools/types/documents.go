package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sort"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// schemaOf is the part of an OpenAPI schema that the Go types do not say.
type schemaOf struct {
	MapType     string              `json:"x-kubernetes-map-type"`
	ListType    string              `json:"x-kubernetes-list-type"`
	ListMapKeys []string            `json:"x-kubernetes-list-map-keys"`
	Required    []string            `json:"required"`
	Default     json.RawMessage     `json:"default"`
	Properties  map[string]schemaOf `json:"properties"`
}

func (s schemaOf) requires(name string) bool { return slices.Contains(s.Required, name) }

func read(path string, into any) {
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		panic(fmt.Sprintf("%s: %v", path, err))
	}
}

// readSchemas joins the OpenAPI v3 documents: v2 lacks the defaults.
func readSchemas(documents string) map[string]schemaOf {
	files, err := filepath.Glob(filepath.Join(documents, "openapi-spec", "v3", "*.json"))
	if err != nil || len(files) == 0 {
		panic(fmt.Sprintf("no OpenAPI documents in %s: %v", documents, err))
	}
	sort.Strings(files)
	schemas := map[string]schemaOf{}
	for _, file := range files {
		var document struct {
			Components struct {
				Schemas map[string]schemaOf `json:"schemas"`
			} `json:"components"`
		}
		read(file, &document)
		for name, one := range document.Components.Schemas {
			schemas[name] = one
		}
	}
	return schemas
}

type group struct {
	name     string
	versions []metav1.APIResourceList
}

// readDiscovery lists the groups in the order in which the server announces them.
func readDiscovery(documents string) []group {
	groups := []group{{name: "", versions: []metav1.APIResourceList{{}}}}
	read(filepath.Join(documents, "discovery", "api__v1.json"), &groups[0].versions[0])

	var aggregated struct {
		Items []struct {
			Metadata struct{ Name string }
			Versions []struct{ Version string }
		}
	}
	read(filepath.Join(documents, "discovery", "aggregated_v2.json"), &aggregated)
	for _, item := range aggregated.Items {
		one := group{name: item.Metadata.Name}
		for _, version := range item.Versions {
			if !stable.MatchString(version.Version) {
				continue
			}
			var list metav1.APIResourceList
			read(filepath.Join(documents, "discovery", "apis__"+one.name+"__"+version.Version+".json"), &list)
			one.versions = append(one.versions, list)
		}
		if len(one.versions) > 0 {
			groups = append(groups, one)
		}
	}
	return groups
}

func printGroup(out io.Writer, g group, known map[schema.GroupVersionKind]reflect.Type) {
	for _, version := range g.versions {
		gv, err := schema.ParseGroupVersion(version.GroupVersion)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(out, "!version\t%s\t%s\n", gv.Group, gv.Version)
		for _, resource := range version.APIResources {
			gvk := gv.WithKind(resource.Kind)
			if resource.Group != "" {
				gvk.Group = resource.Group
			}
			if resource.Version != "" {
				gvk.Version = resource.Version
			}
			goType, ok := known[gvk]
			if !ok {
				panic(fmt.Sprintf("%s: no Go type for %v", resource.Name, gvk))
			}
			scope := "cluster"
			if resource.Namespaced {
				scope = "namespaced"
			}
			if _, sub, ok := strings.Cut(resource.Name, "/"); ok {
				fmt.Fprintf(out, "!sub\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
					sub, gvk.Group, gvk.Version, gvk.Kind, scope, strings.Join(resource.Verbs, ","), modelName(goType))
				continue
			}
			list := gvk.Kind + "List"
			if _, ok := known[gv.WithKind(list)]; !ok {
				list = ""
			}
			fmt.Fprintf(out, "!kind\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
				gvk.Kind, list, resource.Name, resource.SingularName, scope, strings.Join(resource.Verbs, ","),
				strings.Join(resource.ShortNames, ","), strings.Join(resource.Categories, ","), resource.StorageVersionHash, modelName(goType))
		}
	}
}

// printOtherKinds maps every kind to its struct, also those without a resource of their own.
func printOtherKinds(out io.Writer, known map[schema.GroupVersionKind]reflect.Type) {
	kinds := make([]schema.GroupVersionKind, 0, len(known))
	for kind := range known {
		kinds = append(kinds, kind)
	}
	sort.Slice(kinds, func(i, j int) bool { return kinds[i].String() < kinds[j].String() })
	for _, kind := range kinds {
		fmt.Fprintf(out, "!struct\t%s\t%s\t%s\t%s\n", kind.Group, kind.Version, kind.Kind, modelName(known[kind]))
	}
}
