import { ru } from './ru.ts';

/** The shape that every language fills. A second language is one more file of this type. */
export type Dictionary = typeof ru;

/** The interface's text. */
export const t: Dictionary = ru;
