import type { MantineColorsTuple } from '@mantine/core';

/** The accent colour. Shade 7 on white and shade 4 on the dark surface have a contrast of 6:1. */
export const pass: MantineColorsTuple = [
  '#ebf7f4',
  '#d3ede7',
  '#a6dbcf',
  '#74c6b5',
  '#46ae9b',
  '#239a86',
  '#0f8574',
  '#0b6e60',
  '#08584d',
  '#05433b',
];

/** Greys with a tint of the accent colour. Shades 6 to 9 are readable as text on white and on shades 0 and 1. */
export const gray: MantineColorsTuple = [
  '#f6f8f7',
  '#eef1f0',
  '#e3e8e6',
  '#d4dad8',
  '#b8c1be',
  '#8f9a97',
  '#5f6a67',
  '#485250',
  '#303937',
  '#1b2321',
];

/** The greys of the dark scheme: shades 0 to 2 for text, 4 and 5 for lines, 6 to 9 for backgrounds. */
export const dark: MantineColorsTuple = [
  '#e3eae8',
  '#bac6c3',
  '#9aa8a4',
  '#74827e',
  '#3d4a47',
  '#2a3633',
  '#1b2523',
  '#121a18',
  '#0d1412',
  '#080d0c',
];
