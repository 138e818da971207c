/**
 * The environment that a started Node program of the product needs besides its settings. The compile cache halves the start of a
 * gateway.
 */
export const nodeEnvironment = () => ({
  PATH: process.env.PATH,
  ...(process.env.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
});
