import { deepStrictEqual as same, throws } from "node:assert";
import { commandLine, field, quoted, request, value } from "../../Sources/Features/Dashboard/Files/request.js";

const kindOf = (schema) => field({ name: "x", schema, summary: "" }).kind;

Deno.test("each schema of formats.list has a kind of field", () => {
  same([{ type: "integer" }, { type: "number" }, { type: "boolean" }, { type: "string" }, { type: "string", enum: ["a"] }, { type: "array" }, { type: "object" }, {}].map(kindOf),
    ["number", "number", "check", "text", "choice", "json", "json", "json"]);
});
Deno.test("of several schemas a choice is preferred, then what can be typed", () => {
  same(kindOf({ anyOf: [{ type: "object" }, { type: "string", enum: ["top"] }] }), "choice");
  same(kindOf({ anyOf: [{ type: "object" }, { type: "number" }] }), "number");
});
Deno.test("limits of a number reach its field", () => {
  const { min, max, step } = field({ name: "width", schema: { type: "integer", minimum: 1, maximum: 16384 }, summary: "" });
  same([min, max, step], [1, 16384, 1]);
});
Deno.test("nothing typed, and the default, are left out of the request", () => {
  const number = field({ name: "size", schema: { type: "number" }, summary: "", default: 32 });
  same([value(number, ""), value(number, "32"), value(number, "0")], [undefined, undefined, 0]);
  const check = { kind: "check" };
  same([value(check, false), value(check, true), value({ kind: "check", standard: true }, false)], [undefined, true, false]);
});
Deno.test("lists and objects are typed as JSON, and a mistake is an error", () => {
  same(value({ kind: "json" }, "[1,2]"), [1, 2]);
  throws(() => value({ kind: "json" }, "[1,"), SyntaxError);
});
Deno.test("a request has only what was given", () => {
  same(request("u", [], { format: undefined, quality: undefined }), { url: "u" });
  same(request("u", [{ op: "resize", width: 3, height: undefined }], { format: "webp", quality: undefined }), { url: "u", transform: [{ op: "resize", width: 3 }], output: { format: "webp" } });
});
Deno.test("a word for the shell is quoted whole", () => same([quoted("a/b.png"), quoted("a b"), quoted("it's"), quoted("$(x)"), quoted("")], ["a/b.png", "'a b'", "'it'\\''s'", "'$(x)'", "''"]));
Deno.test("the command line gives the same request", () => same(commandLine({ url: "u" }), `tintype rpc image.load '{"url":"u"}'`));
