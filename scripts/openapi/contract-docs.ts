import { globSync, readFileSync } from 'node:fs';
import { type Comment, parseSync } from 'oxc-parser';

/** Reads the JSDoc comments of the contract, which are the texts of the OpenAPI document. */

/**
 * The files of the contract, without tests and without endpoints.ts, which only imports the others.
 */
const SOURCES = 'packages/contract/src/!(*.test|endpoints).ts';

interface Docs {
  /** By path: `login`, `User`, `User.company.confirmed`, `addVantage.body.name`, `errors.bad_input`. */
  readonly texts: Record<string, string>;
  /** The values of the `@example` tags: JSON, or else plain text. */
  readonly examples: Record<string, unknown[]>;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly name?: string;
  readonly [key: string]: unknown;
}

/** A const, or a function with the expression that it returns. */
interface Declared {
  readonly value: Node;
  readonly doc: Doc;
  readonly exported: boolean;
  readonly isFunction: boolean;
  readonly file: Scope;
}

interface Doc {
  readonly text: string;
  readonly examples: unknown[];
}

interface Scope {
  readonly text: string;
  readonly comments: readonly Comment[];
  readonly declared: Map<string, Declared>;
}

/** The methods of zod that make an object. */
const OBJECT = /^(object|extend|partial)$/;
const NONE: Doc = { text: '', examples: [] };

/**
 * Reads the comments.
 * @param sources the texts of the contract's files
 * @returns the documentation, and the paths without a comment
 */
export function readContract(sources: readonly string[]): { docs: Docs; missing: string[] } {
  const docs: Docs = { texts: {}, examples: {} };
  const missing: string[] = [];
  const scopes = sources.map(scopeOf);
  const exported = new Map(scopes.flatMap(({ declared }) => [...declared].filter(([, one]) => one.exported)));

  const find = (node: Node, file: Scope) =>
    file.declared.get(node.name ?? '') ?? exported.get(node.name ?? '');

  function add(path: string, { text, examples }: Doc): void {
    if (text === '') missing.push(path);
    else docs.texts[path] = text;
    if (examples.length > 0) docs.examples[path] = examples;
  }

  function addField(path: string, property: Node, file: Scope): void {
    const value = property.value as Node;
    // A field without a comment has that of the schema that it names: `z.optional(Email)`.
    const leaf = leafOf(value);
    const schema = leaf.type === 'Identifier' ? find(leaf, file) : undefined;
    const own = docAbove(property, file);
    const { text, examples } = schema?.doc ?? NONE;
    const shared = schema?.exported ? [] : examples;
    add(path, { text: own.text || text, examples: own.examples.length > 0 ? own.examples : shared });
    if (!schema?.exported) addFields(path, leaf, file);
  }

  /** Adds the fields of the object that an expression declares, and of the schemas that it extends. */
  function addFields(path: string, node: Node, file: Scope): void {
    const method = methodOf(node);
    const callee = node.callee as Node | undefined;
    const args = (node.arguments ?? []) as Node[];
    if (node.type === 'ObjectExpression') {
      for (const property of node.properties as Node[]) {
        if (property.type === 'SpreadElement') addFields(path, property.argument as Node, file);
        else addField(`${path}.${(property.key as Node).name}`, property, file);
      }
    } else if (node.type === 'Identifier') {
      const found = find(node, file);
      if (found !== undefined) addFields(path, found.value, found.file);
    } else if (callee?.type === 'Identifier') addFields(path, callee, file);
    else if ((callee?.property as Node | undefined)?.name === 'check')
      addFields(path, callee?.object as Node, file);
    else if (OBJECT.test(method)) for (const part of args) addFields(path, part, file);
    else if (method === 'omit') addFields(path, args[0] as Node, file);
    // Skip a named exported schema: the OpenAPI document holds it once and refers to it.
    else if (args[0] !== undefined && !find(args[0], file)?.exported) addFields(path, args[0], file);
  }

  for (const file of scopes) {
    for (const [name, { value, doc, exported: isExported, isFunction }] of file.declared) {
      if (!isExported || isFunction) continue;
      if ((value.callee as Node | undefined)?.name === 'endpoint') {
        add(name, doc);
        for (const part of (value.arguments as [Node, Node])[1].properties as Node[]) {
          const key = (part.key as Node | undefined)?.name ?? '';
          const schema = part.value as Node;
          if (/^(params|query|body|reply)$/.test(key) && !find(schema, file)?.exported)
            addFields(`${name}.${key}`, schema, file);
        }
      } else if (name === 'errors') {
        for (const property of objectOf(value).properties as Node[])
          add(`errors.${(property.key as Node).name}`, docAbove(property, file));
      } else if (OBJECT.test(methodOf(value)) || methodOf(value) === 'enum') {
        add(name, doc);
        addFields(name, value, file);
      } else if (value.type === 'CallExpression' && doc.text !== '') add(name, doc);
    }
  }
  return { docs, missing };
}

function scopeOf(text: string): Scope {
  const { program, comments, errors } = parseSync('contract.ts', text);
  if (errors[0] !== undefined) throw new Error(errors[0].message);
  const file: Scope = { text, comments, declared: new Map() };
  for (const statement of program.body as unknown as Node[]) {
    const declaration = (statement.declaration as Node | undefined) ?? statement;
    const exported = declaration !== statement;
    const doc = docAbove(statement, file);
    const isFunction = declaration.type === 'FunctionDeclaration';
    const declare = (id: unknown, value: unknown) =>
      file.declared.set((id as Node).name ?? '', { value: value as Node, doc, exported, isFunction, file });
    if (declaration.type === 'VariableDeclaration')
      for (const { id, init } of declaration.declarations as Node[]) declare(id, init);
    if (isFunction) {
      const last = ((declaration.body as Node).body as Node[]).at(-1);
      if (last?.type === 'ReturnStatement') declare(declaration.id, last.argument);
    }
  }
  return file;
}

/** The JSDoc comment that ends directly before a node. */
function docAbove({ start }: Node, { text, comments }: Scope): Doc {
  const comment = comments.findLast(({ end }) => end <= start);
  if (!comment?.value.startsWith('*') || text.slice(comment.end, start).trim() !== '') return NONE;
  const [prose = '', ...examples] = comment.value
    .replace(/^\s*\*+ ?/gm, '')
    .split('@example')
    .map((part) => part.trim().replace(/\s*\n\s*/g, ' '));
  return { text: prose, examples: examples.map(parseExample) };
}

function parseExample(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the innermost schema of nested calls: `Email` in `z.optional(z.array(Email))`. */
function leafOf(node: Node): Node {
  const first = (node.arguments as Node[] | undefined)?.[0];
  return first === undefined || OBJECT.test(methodOf(node)) ? node : leafOf(first);
}

/** The name of the method that an expression calls: `extend` in `z.extend(…).check(…)`. */
function methodOf({ callee }: Node): string {
  const { property, object } = (callee ?? {}) as { property?: Node; object?: Node };
  return property?.name === 'check' && object?.type === 'CallExpression'
    ? methodOf(object)
    : (property?.name ?? '');
}

function objectOf(node: Node): Node {
  return node.type === 'ObjectExpression' ? node : objectOf(node.expression as Node);
}

/** The documentation of the contract in this tree. */
export const contract = readContract(
  globSync(SOURCES)
    .toSorted()
    .map((path) => readFileSync(path, 'utf8')),
);
