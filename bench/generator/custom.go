package main

import (
	"encoding/json"
	"fmt"
	"time"
)

const (
	definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	customGroup = "bench.example.com"
)

// schema has about as many lines as asked for, in the shape that generated ones have: groups of described, checked fields.
func schema(lines int) map[string]any {
	groups := map[string]any{}
	for group := 0; group*50 < lines; group++ {
		fields := map[string]any{}
		for field := range 8 {
			fields[fmt.Sprintf("field%d", field)] = map[string]any{
				"type": "string", "description": "One of many fields.", "maxLength": 200, "pattern": "^[a-z0-9 ]*$", "default": "x",
			}
		}
		groups[fmt.Sprintf("group%d", group)] = map[string]any{"type": "object", "properties": fields}
	}
	return map[string]any{
		"type":       "object",
		"properties": map[string]any{"spec": map[string]any{"type": "object", "properties": groups}},
	}
}

func definition(plural, kind string, lines int) ([]byte, error) {
	version := func(name string, storage bool) map[string]any {
		return map[string]any{
			"name": name, "served": true, "storage": storage,
			"schema": map[string]any{"openAPIV3Schema": schema(lines)},
		}
	}
	return json.Marshal(map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1",
		"kind":       "CustomResourceDefinition",
		"metadata":   map[string]any{"name": plural + "." + customGroup},
		"spec": map[string]any{
			"group": customGroup, "scope": "Namespaced",
			"names":    map[string]any{"plural": plural, "kind": kind},
			"versions": []any{version("v1", true), version("v1beta1", false)},
		},
	})
}

// established waits until the kind of a definition is served.
func established(c *client, plural string) error {
	for limit := time.Now().Add(2 * time.Minute); time.Now().Before(limit); time.Sleep(20 * time.Millisecond) {
		code, _, err := c.call("GET", "/apis/"+customGroup+"/v1/namespaces/"+namespace+"/"+plural, nil)
		if err != nil || code == 200 {
			return err
		}
	}
	return fmt.Errorf("%s is not served", plural)
}

// define creates definitions of two versions each, and waits for every one to be served.
func define(o *options) error {
	clients, err := connect(o)
	if err != nil {
		return err
	}
	m, err := inParallel(o, clients, func(c *client, number int) error {
		plural := fmt.Sprintf("things%d", number)
		body, err := definition(plural, fmt.Sprintf("Thing%d", number), o.size)
		if err == nil {
			_, err = c.must("POST", definitions, body)
		}
		if err == nil {
			err = established(c, plural)
		}
		return err
	})
	fmt.Println(m.line(o))
	return err
}

// custom creates objects of a kind with a long schema, of which each fills a part.
func custom(o *options) error {
	clients, err := connect(o)
	if err != nil {
		return err
	}
	body, err := definition("gadgets", "Gadget", o.size)
	if err != nil {
		return err
	}
	if _, err = clients[0].must("POST", definitions, body); err != nil {
		return err
	}
	if err = established(clients[0], "gadgets"); err != nil {
		return err
	}
	groups := map[string]any{}
	for group := 0; group*50 < o.size; group++ {
		groups[fmt.Sprintf("group%d", group)] = map[string]any{"field0": "a value", "field1": "another value"}
	}
	path := "/apis/" + customGroup + "/v1/namespaces/" + namespace + "/gadgets"
	m, err := inParallel(o, clients, func(c *client, number int) error {
		object, err := json.Marshal(map[string]any{
			"apiVersion": customGroup + "/v1", "kind": "Gadget",
			"metadata": map[string]any{"name": fmt.Sprintf("gadget-%06d", number)},
			"spec":     groups,
		})
		if err == nil {
			_, err = c.must("POST", path, object)
		}
		return err
	})
	if err != nil {
		return err
	}
	begin := time.Now()
	if _, err = clients[0].must("GET", path, nil); err != nil {
		return err
	}
	fmt.Printf("%s list_ms=%d\n", m.line(o), time.Since(begin).Milliseconds())
	return nil
}
