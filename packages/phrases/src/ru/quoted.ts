/** Puts a name in quotation marks. Marks inside the name become inner marks; a name that is already quoted stays unchanged. */
export function quoted(name: string): string {
  if (/^«[^«»]*»$/.test(name)) return name;
  return `«${name.replaceAll('«', '„').replaceAll('»', '“')}»`;
}
