package main

import (
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// field is one JSON field of a struct; fields of inlined structs stand in their parent.
type field struct {
	name      string
	goType    reflect.Type
	omitEmpty bool
	omitZero  bool
	number    int
	wirePath  []int
	embedded  []string // Go names of the inlined structs around it, which decoding errors show
	strategy  string
	mergeKey  string
}

var scalars = map[reflect.Type]string{
	reflect.TypeOf(resource.Quantity{}):    "q",
	reflect.TypeOf(metav1.Time{}):          "t",
	reflect.TypeOf(metav1.MicroTime{}):     "u",
	reflect.TypeOf(metav1.Duration{}):      "D",
	reflect.TypeOf(intstr.IntOrString{}):   "x",
	reflect.TypeOf(runtime.RawExtension{}): "r",
	reflect.TypeOf(apiextensionsv1.JSON{}): "r",
	reflect.TypeOf(metav1.FieldsV1{}):      "f",
}

// scalarNames are the Go names that the reader already knows of each scalar.
var scalarNames = map[string]string{
	"s": "string", "b": "bool", "i": "int32", "l": "int64", "d": "float64", "y": "[]uint8", "q": "resource.Quantity", "t": "v1.Time",
	"u": "v1.MicroTime", "D": "v1.Duration", "x": "intstr.IntOrString", "r": "runtime.RawExtension", "f": "v1.FieldsV1",
}

func scalarCode(t reflect.Type) string {
	if code, ok := scalars[t]; ok {
		return code
	}
	switch t.Kind() {
	case reflect.String:
		return "s"
	case reflect.Bool:
		return "b"
	case reflect.Int32:
		return "i"
	case reflect.Int64, reflect.Int:
		return "l"
	case reflect.Float64:
		return "d"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "y"
		}
	}
	return ""
}

// choicesOf says which types a value may have whose JSON form decides.
func choicesOf(t reflect.Type) ([]reflect.Type, bool) {
	props := reflect.TypeOf(apiextensionsv1.JSONSchemaProps{})
	switch t {
	case reflect.TypeOf(apiextensionsv1.JSONSchemaPropsOrBool{}):
		return []reflect.Type{props, reflect.TypeOf(true)}, true
	case reflect.TypeOf(apiextensionsv1.JSONSchemaPropsOrArray{}):
		return []reflect.Type{props, reflect.SliceOf(props)}, true
	case reflect.TypeOf(apiextensionsv1.JSONSchemaPropsOrStringArray{}):
		return []reflect.Type{props, reflect.TypeOf([]string{})}, true
	}
	return nil, false
}

func modelName(t reflect.Type) string {
	if named, ok := reflect.New(t).Interface().(interface{ OpenAPIModelName() string }); ok {
		return named.OpenAPIModelName()
	}
	host, path, _ := strings.Cut(t.PkgPath(), "/")
	labels := strings.Split(host, ".")
	for i, j := 0, len(labels)-1; i < j; i, j = i+1, j-1 {
		labels[i], labels[j] = labels[j], labels[i]
	}
	return strings.Join(labels, ".") + "." + strings.ReplaceAll(path, "/", ".") + "." + t.Name()
}

func fieldsOf(t reflect.Type) []field {
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		number := protobufNumber(t, f)
		if f.Anonymous && name == "" {
			inlined := f.Type
			for _, inner := range fieldsOf(inlined) {
				switch {
				case number != 0:
					inner.wirePath = append([]int{number}, inner.wirePath...)
				case inlined == reflect.TypeOf(metav1.TypeMeta{}):
					inner.number = 0 // travels in the envelope
				default:
					panic(fmt.Sprintf("%v.%s is inlined in JSON but has no protobuf number", t, f.Name))
				}
				inner.embedded = append([]string{f.Name}, inner.embedded...)
				fields = append(fields, inner)
			}
			continue
		}
		if name == "" {
			panic(fmt.Sprintf("%v.%s has no JSON name", t, f.Name))
		}
		one := field{name: name, goType: f.Type, number: number, strategy: f.Tag.Get("patchStrategy"), mergeKey: f.Tag.Get("patchMergeKey")}
		for _, option := range strings.Split(options, ",") {
			switch option {
			case "omitempty":
				one.omitEmpty = true
			case "omitzero":
				one.omitZero = true
			case "", "inline":
			default:
				panic(fmt.Sprintf("%v.%s: unknown JSON option %s", t, f.Name, option))
			}
		}
		// A named list such as Verbs may be a message of its own on the wire.
		if _, message := reflect.New(f.Type).Interface().(interface{ MarshalTo([]byte) (int, error) }); message && f.Type.Kind() == reflect.Slice {
			one.wirePath, one.number = []int{number}, 1
		}
		fields = append(fields, one)
	}
	return fields
}

func protobufNumber(t reflect.Type, f reflect.StructField) int {
	tag := f.Tag.Get("protobuf")
	if tag == "" || tag == "-" {
		return 0
	}
	number, err := strconv.Atoi(strings.Split(tag, ",")[1])
	if err != nil {
		panic(fmt.Sprintf("%v.%s: %s", t, f.Name, tag))
	}
	return number
}

// typeCode is the compact form of a type; structs of the same package go without their package.
func typeCode(t reflect.Type, home string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if code := scalarCode(t); code != "" {
		return code
	}
	if choices, ok := choicesOf(t); ok {
		codes := make([]string, len(choices))
		for i, choice := range choices {
			codes[i] = typeCode(choice, home)
		}
		return "?" + t.String() + "|" + strings.Join(codes, "|")
	}
	switch t.Kind() {
	case reflect.Slice:
		return "[" + typeCode(t.Elem(), home)
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			panic(fmt.Sprintf("%v has keys that are no strings", t))
		}
		return "{" + typeCode(t.Elem(), home)
	case reflect.Struct:
		name := modelName(t)
		if at := strings.LastIndexByte(name, '.'); name[:at] == home {
			name = name[at+1:]
		}
		return "@" + name
	}
	panic(fmt.Sprintf("no code for %v", t))
}

// impliedGoName is what the reader derives from the compact form.
func impliedGoName(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if code := scalarCode(t); code != "" {
		return scalarNames[code]
	}
	if _, ok := choicesOf(t); ok {
		return t.String()
	}
	switch t.Kind() {
	case reflect.Slice:
		return "[]" + impliedGoName(t.Elem())
	case reflect.Map:
		return "map[string]" + impliedGoName(t.Elem())
	default:
		parts := strings.Split(modelName(t), ".")
		return parts[len(parts)-2] + "." + parts[len(parts)-1]
	}
}

func printStruct(out io.Writer, t reflect.Type, model schemaOf) {
	name := modelName(t)
	home := name[:strings.LastIndexByte(name, '.')]
	flags := ""
	if model.MapType == "atomic" {
		flags += "a"
	}
	fmt.Fprintf(out, "%s\t%s", name, flags)
	for _, f := range fieldsOf(t) {
		fmt.Fprintf(out, "\t%s %s %d", f.name, typeCode(f.goType, home), f.number)
		for _, attribute := range attributesOf(f, model) {
			fmt.Fprint(out, " ", attribute)
		}
	}
	fmt.Fprintln(out)
}

func attributesOf(f field, model schemaOf) []string {
	flags := ""
	add := func(flag string, on bool) {
		if on {
			flags += flag
		}
	}
	property := model.Properties[f.name]
	add("p", f.goType.Kind() == reflect.Pointer)
	add("e", f.omitEmpty)
	add("z", f.omitZero)
	add("r", model.requires(f.name))
	for _, strategy := range strings.Split(f.strategy, ",") {
		add("m", strategy == "merge")
		add("k", strategy == "retainKeys")
	}
	add("a", property.MapType == "atomic")

	attributes := []string{}
	if flags != "" {
		attributes = append(attributes, flags)
	}
	value := func(key, text string) {
		if strings.ContainsAny(text, " \t\n") {
			panic(fmt.Sprintf("%s of %s holds white space: %q", key, f.name, text))
		}
		attributes = append(attributes, key+"="+text)
	}
	if len(f.wirePath) > 0 {
		value("w", strings.Trim(strings.ReplaceAll(fmt.Sprint(f.wirePath), " ", "."), "[]"))
	}
	if len(f.embedded) > 0 {
		value("i", strings.Join(f.embedded, "."))
	}
	if f.mergeKey != "" {
		value("m", f.mergeKey)
	}
	switch property.ListType {
	case "set":
		value("l", "set")
	case "map":
		value("l", "map")
		value("k", strings.Join(property.ListMapKeys, ","))
	}
	if text := string(property.Default); text != "" && text != "{}" {
		value("d", text)
	}
	goType := f.goType
	for goType.Kind() == reflect.Pointer {
		goType = goType.Elem()
	}
	if goType.String() != impliedGoName(goType) {
		value("g", goType.String())
	}
	return attributes
}
