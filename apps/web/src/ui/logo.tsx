import classes from './logo.module.css';

/** The mark: the letter П as a gate, and a person on the way through it. */
function LogoMark() {
  return (
    <svg width="28" height="28" viewBox="0 0 32 32" aria-hidden="true" className={classes.mark}>
      <rect width="32" height="32" rx="8" fill="var(--mantine-color-pass-7)" />
      <path
        d="M8.5 25V9.5a2 2 0 0 1 2-2h11a2 2 0 0 1 2 2V25"
        fill="none"
        stroke="#fff"
        strokeWidth="3"
        strokeLinecap="round"
      />
      <circle cx="16" cy="15" r="2.4" fill="#8ff0d8" />
      <path d="M16 20.5V25" stroke="#8ff0d8" strokeWidth="3" strokeLinecap="round" />
    </svg>
  );
}

/** The mark with the product's name. */
export function Logo({ name }: { name: string }) {
  return (
    <span className={classes.logo}>
      <LogoMark />
      <span className={classes.name}>{name}</span>
    </span>
  );
}
