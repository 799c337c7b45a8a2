#!/usr/bin/env python3
"""Checks a JSON document against a schema, as far as doc/report.schema.json goes: $ref, allOf, type, enum, required,
properties, additionalProperties and items. A keyword of the schema that is not known here is an error, so that nothing
stands there that nobody checks. Members that no schema names are errors, too.

    check_schema.py SCHEMA DOCUMENT...
"""
import json
import sys

TYPES = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool, "null": type(None)}
KNOWN = {"$schema", "$defs", "title", "description", "$ref", "allOf", "type", "enum", "required", "properties", "additionalProperties",
         "items"}


def has_type(value, name):
    return isinstance(value, TYPES[name]) and not (name == "integer" and isinstance(value, bool))


def names_of(schema, root):
    """Returns the members that a schema and those it refers to name."""
    names = set(schema.get("properties", {}))
    for part in schema.get("allOf", []) + ([schema] if "$ref" in schema else []):
        names |= names_of(resolve(part, root), root)
    return names


def resolve(schema, root):
    return root["$defs"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema


def errors_of(value, schema, root, place, is_whole=True):
    unknown = set(schema) - KNOWN
    if unknown:
        yield f"{place}: the schema has {sorted(unknown)}, which is not checked"
    if "$ref" in schema:
        yield from errors_of(value, resolve(schema, root), root, place, False)
    for part in schema.get("allOf", []):
        yield from errors_of(value, part, root, place, False)
    types = schema.get("type", [])
    types = types if isinstance(types, list) else [types]
    if types and not any(has_type(value, name) for name in types):
        yield f"{place}: {value!r} is not {' or '.join(types)}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{place}: {value!r} is none of {schema['enum']}"
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            yield from errors_of(item, schema["items"], root, f"{place}[{index}]")
    if isinstance(value, dict):
        for name in schema.get("required", []):
            if name not in value:
                yield f"{place}: there is no {name}"
        for name, member in schema.get("properties", {}).items():
            if name in value:
                yield from errors_of(value[name], member, root, f"{place}.{name}")
        for name in sorted(set(value) - names_of(schema, root)) if is_whole else ():
            yield f"{place}: the schema has no {name}"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    failed = 0
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        for error in errors_of(document, schema, schema, "report"):
            print(f"FAILED: {path}: {error}")
            failed = 1
    # It notices what is wrong.
    wrong = [{}, {"status": "0"}, []]
    if not all(list(errors_of(document, schema, schema, "report")) for document in wrong):
        print("FAILED: wrong documents pass")
        failed = 1
    return failed


sys.exit(main())
