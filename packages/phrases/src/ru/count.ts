const plural = /* @__PURE__ */ new Intl.PluralRules('ru');

/** A whole number with the matching form of its noun. Without `few`, the form `many` is used. */
export function count(n: number, forms: { one: string; few?: string; many: string }): string {
  const rule = plural.select(n);
  return `${n} ${rule === 'one' ? forms.one : rule === 'few' ? (forms.few ?? forms.many) : forms.many}`;
}

/** A time in the accusative, as after «действует». */
export const minutes = (n: number) => count(n, { one: 'минуту', few: 'минуты', many: 'минут' });
export const days = (n: number) => count(n, { one: 'день', few: 'дня', many: 'дней' });
