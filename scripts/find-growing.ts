import { type Comment, parseSync, visitorKeys } from 'oxc-parser';

/** A declaration of a collection that outlives one call and can grow. */
export interface Growing {
  readonly name: string;
  /** The line number, from 1. */
  readonly line: number;
  /** The comment `// Grows with …` or `// Bounded: …` above the declaration; null without one. */
  readonly tag: string | null;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** The scope of a function or of the module. */
interface Scope {
  readonly outer: Scope | null;
  readonly names: Map<string, Candidate>;
}

interface Candidate {
  readonly name: string;
  readonly node: Node;
  readonly scope: Scope;
  /** A WeakMap: the garbage collector removes its entries with their keys. */
  readonly weak: boolean;
  grows: boolean;
}

const WRITES = new Set(['set', 'add', 'push', 'unshift', 'splice']);

/**
 * Finds the collections of a TypeScript file that outlive one call and can grow. These are:
 *
 * - a `Map`, a `Set` or an array of the module, when any function fills it;
 * - one of a function, when another function, such as a closure, fills it;
 * - every one in a class field, and every empty `Map` or `Set` in an object literal;
 * - any declaration with a `// Grows with` or `// Bounded:` tag, even when these rules do not find it.
 *
 * A collection that only its declaring function fills ends with the call. A `WeakMap` loses entries with their keys. A
 * variable typed `ReadonlyMap` or `ReadonlySet` does not grow.
 * @throws Error for a file that cannot be parsed
 */
export function findGrowing(file: string, text: string): Growing[] {
  const { program, comments, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const found: Candidate[] = [];
  const scopeOf = (outer: Scope | null): Scope => ({ outer, names: new Map() });

  // Two passes, declarations before uses: a function may precede the collection that it fills.
  const scopes = new Map<Node, Scope>();
  function declare(node: Node, scope: Scope): void {
    const inner = isFunction(node) || node.type === 'Program' ? scopeOf(scope) : scope;
    if (inner !== scope) scopes.set(node, inner);
    const candidate = candidateOf(node, inner);
    if (candidate !== null) {
      found.push(candidate);
      if (node.type === 'VariableDeclarator') inner.names.set(candidate.name, candidate);
    }
    for (const child of childrenOf(node)) declare(child, inner);
  }
  function use(node: Node, scope: Scope): void {
    const inner = scopes.get(node) ?? scope;
    for (const name of filledBy(node)) {
      const candidate = lookUp(inner, name);
      // Filled in an inner scope: that function may run many times while the collection lives.
      if (candidate !== undefined && candidate.scope !== inner && !candidate.weak) candidate.grows = true;
    }
    for (const child of childrenOf(node)) use(child, inner);
  }
  const root = program as unknown as Node;
  declare(root, scopeOf(null));
  use(root, scopeOf(null));
  return found
    .map(({ name, node, grows }) => ({
      name,
      line: text.slice(0, node.start).split('\n').length,
      tag: tagAbove(text, node, comments),
      grows,
    }))
    .filter(({ grows, tag }) => grows || tag !== null);
}

function isFunction({ type }: Node): boolean {
  return /^(Function|ArrowFunction)/.test(type);
}

function lookUp(from: Scope, name: string): Candidate | undefined {
  for (let scope: Scope | null = from; scope !== null; scope = scope.outer) {
    const candidate = scope.names.get(name);
    if (candidate !== undefined) return candidate;
  }
  return undefined;
}

function candidateOf(node: Node, scope: Scope): Candidate | null {
  const [key, value] =
    node.type === 'VariableDeclarator'
      ? [node.id as Node, node.init as Node | null]
      : [node.key as Node | undefined, node.value as Node | null];
  const name = key?.name;
  if (typeof name !== 'string' || value === null || value === undefined) return null;
  switch (node.type) {
    case 'VariableDeclarator': {
      if (!isGrowable(value)) return null;
      if (/^Readonly(Map|Set)$/.test(typeName(key))) return null;
      const weak = value.type === 'NewExpression' && (value.callee as Node).name === 'WeakMap';
      return { name, node, scope, weak, grows: false };
    }
    case 'PropertyDefinition':
      return isGrowable(value) ? { name, node, scope, weak: false, grows: true } : null;
    case 'Property':
      return isEmptyCollection(value) ? { name, node, scope, weak: false, grows: true } : null;
    default:
      return null;
  }
}

function typeName(key: Node | undefined): string {
  const annotation = (key?.typeAnnotation as Node | null | undefined)?.typeAnnotation as Node | undefined;
  const name = (annotation?.typeName as Node | undefined)?.name;
  return typeof name === 'string' ? name : '';
}

/** Whether an expression creates a collection: `new Map(…)`, `new Set(…)`, `new WeakMap(…)`, `new LRUCache(…)`, `[]`. */
function isGrowable(value: Node): boolean {
  if (value.type === 'ArrayExpression') return (value.elements as unknown[]).length === 0;
  const name = value.type === 'NewExpression' ? (value.callee as Node).name : undefined;
  return typeof name === 'string' && /^(Map|Set|WeakMap|LRU\w*)$/.test(name);
}

function isEmptyCollection(value: Node): boolean {
  return value.type === 'NewExpression' && isGrowable(value) && (value.arguments as unknown[]).length === 0;
}

/** Names of collections that a call fills: receivers of a write method, and arguments of a function that may write. */
function filledBy(node: Node): string[] {
  if (node.type !== 'CallExpression') return [];
  const callee = node.callee as Node;
  const names: string[] = [];
  const nameOf = (of: Node) => (of.type === 'Identifier' && typeof of.name === 'string' ? [of.name] : []);
  if (callee.type === 'MemberExpression') {
    const method = (callee.property as Node).name;
    if (typeof method === 'string' && WRITES.has(method)) names.push(...nameOf(callee.object as Node));
  } else {
    // A method of a built-in object (`Promise.all(list)`) only reads its arguments; a function of ours may fill them.
    for (const argument of node.arguments as Node[]) names.push(...nameOf(argument));
  }
  return names;
}

function childrenOf(node: Node): Node[] {
  return (visitorKeys[node.type] ?? []).flatMap((key) => {
    const child = node[key];
    return (Array.isArray(child) ? child : [child]).filter((each): each is Node => Boolean(each));
  });
}

/** The `// Grows with` or `// Bounded:` comment above a declaration, joined into one line. */
function tagAbove(text: string, { start }: Node, comments: readonly Comment[]): string | null {
  let above = text.lastIndexOf('\n', start - 1) + 1;
  const lines: string[] = [];
  for (const comment of comments.toReversed()) {
    const own = text.lastIndexOf('\n', comment.start) + 1;
    if (comment.type !== 'Line' || comment.end > above) continue;
    if (comment.end + 1 !== above || text.slice(own, comment.start).trim() !== '') break;
    lines.unshift(comment.value.trim());
    above = own;
    if (/^(Grows with |Bounded:)/.test(comment.value.trim())) return lines.join(' ');
  }
  return null;
}
