/** The part of the package `saxen`, which has no types, that the console uses. */
declare module 'saxen' {
  type Decode = (text: string) => string;
  export class Parser {
    on(event: 'openTag', open: (name: string, attrs: () => Record<string, string>) => void): this;
    on(event: 'closeTag', close: (name: string) => void): this;
    on(event: 'text' | 'cdata', text: (value: string, decode?: Decode | (() => unknown)) => void): this;
    parse(xml: string): void;
  }
}
