/** The interface's text. A second language fills the same names, and is chosen here. */
export * as t from './ru.ts';
