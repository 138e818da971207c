/** The part of the package `saxen`, which has no types, that the console uses. */
declare module 'saxen' {
  export class Parser {
    on(event: 'openTag', open: (name: string, attrs: () => Record<string, string>) => void): this;
    on(event: 'closeTag', close: (name: string) => void): this;
    on(event: 'text', text: (value: string, decode: (text: string) => string) => void): this;
    on(event: 'cdata', text: (value: string) => void): this;
    parse(xml: string): void;
  }
}
