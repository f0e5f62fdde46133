// Prints the shapes of upstream's internal structs that appear in messages: Go writes them without JSON tags, so fields have
// their Go names and absent ones are shown. Reads source text only; nothing is compiled.
//
// A line is a struct: its name, then its fields as GoName=jsonName:type. Types: string, int, bool, quantity, any (shown as
// null where absent, else as in JSON), Name (a struct), *Name (a struct or null), [Name (a list or null), +Name (embedded).
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"strings"
)

type declarations map[string]ast.Expr

func declarationsOf(file string) declarations {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		panic(err)
	}
	found := declarations{}
	for _, declaration := range parsed.Decls {
		if general, ok := declaration.(*ast.GenDecl); ok && general.Tok == token.TYPE {
			for _, spec := range general.Specs {
				named := spec.(*ast.TypeSpec)
				found[named.Name.Name] = named.Type
			}
		}
	}
	return found
}

// jsonName looks for the field of the same name in the published struct.
func (published declarations) jsonName(structName, field string) string {
	names := []string{structName}
	if structName == "EphemeralContainerCommon" {
		names = append(names, "Container")
	}
	for _, name := range names {
		if structure, ok := published[name].(*ast.StructType); ok {
			for _, candidate := range structure.Fields.List {
				for _, identifier := range candidate.Names {
					if identifier.Name == field && candidate.Tag != nil {
						tag := reflect.StructTag(strings.Trim(candidate.Tag.Value, "`")).Get("json")
						return strings.Split(tag, ",")[0]
					}
				}
			}
		}
	}
	return strings.ToLower(field[:1]) + field[1:]
}

type printer struct {
	internal, published declarations
	queue               []string
	seen                map[string]bool
}

func (p *printer) want(name string) string {
	if !p.seen[name] {
		p.seen[name] = true
		p.queue = append(p.queue, name)
	}
	return name
}

func (p *printer) shape(expression ast.Expr) string {
	switch kind := expression.(type) {
	case *ast.Ident:
		switch kind.Name {
		case "string", "bool":
			return kind.Name
		case "int32", "int64", "int":
			return "int"
		}
		if _, ok := p.internal[kind.Name].(*ast.StructType); ok {
			return p.want(kind.Name)
		}
		return p.shape(p.internal[kind.Name])
	case *ast.StarExpr:
		if name, ok := kind.X.(*ast.Ident); ok {
			if _, isStruct := p.internal[name.Name].(*ast.StructType); isStruct {
				return "*" + p.want(name.Name)
			}
		}
		return "any"
	case *ast.ArrayType:
		if inner := p.shape(kind.Elt); p.seen[inner] {
			return "[" + inner
		}
		return "any"
	case *ast.SelectorExpr:
		switch kind.Sel.Name {
		case "Quantity":
			return "quantity"
		case "IntOrString":
			return "int"
		case "UID":
			return "string"
		}
		return "any"
	case *ast.MapType:
		return "any"
	}
	panic(fmt.Sprintf("no shape for %T", expression))
}

func (p *printer) print(name string) {
	fmt.Print(name)
	for _, field := range p.internal[name].(*ast.StructType).Fields.List {
		if len(field.Names) == 0 {
			if embedded, ok := field.Type.(*ast.Ident); ok {
				fmt.Printf(" +%s", p.want(embedded.Name))
			} else {
				fmt.Printf(" +%s", field.Type.(*ast.SelectorExpr).Sel.Name)
			}
		}
		for _, identifier := range field.Names {
			fmt.Printf(" %s=%s:%s", identifier.Name, p.published.jsonName(name, identifier.Name), p.shape(field.Type))
		}
	}
	fmt.Println()
}

func main() {
	p := &printer{declarationsOf(os.Args[1]), declarationsOf(os.Args[2]), nil, map[string]bool{}}
	for _, root := range os.Args[3:] {
		p.want(root)
	}
	for len(p.queue) > 0 {
		next := p.queue[0]
		p.queue = p.queue[1:]
		p.print(next)
	}
}
