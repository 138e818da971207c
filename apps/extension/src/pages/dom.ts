type Child = Node | string | null;

/** Creates an element with attributes and children. Strings become text nodes, never HTML. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string | boolean | ((event: Event) => void)>> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** Replaces the content of `main`. */
export function show(...children: Child[]): void {
  const room = document.querySelector('main');
  room?.replaceChildren(...children.filter((child) => child !== null));
}

/** Creates a message that screen readers announce. */
export function notice(kind: 'error' | 'warning', ...text: string[]): HTMLElement {
  return h('div', { class: `notice ${kind}`, role: 'alert' }, ...text.map((line) => h('p', {}, line)));
}
