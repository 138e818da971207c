import classes from './logo.module.css';

/** The logo's mark: the Russian letter Pe as a gate, with a figure walking through. */
function LogoMark() {
  return (
    <svg width={28} height={28} viewBox="0 0 32 32" aria-hidden="true" className={classes.mark}>
      <rect width="32" height="32" rx="8" fill="var(--mark)" />
      <path
        d="M8.5 25V9.5a2 2 0 0 1 2-2h11a2 2 0 0 1 2 2V25"
        fill="none"
        stroke="var(--mark-gate)"
        strokeWidth="3"
        strokeLinecap="round"
      />
      <circle cx="16" cy="15" r="2.4" fill="var(--mark-person)" />
      <path d="M16 20.5V25" stroke="var(--mark-person)" strokeWidth="3" strokeLinecap="round" />
    </svg>
  );
}

/** The logo: its mark and the product's name. */
export function Logo({ name }: { name: string }) {
  return (
    <span className={classes.logo}>
      <LogoMark />
      <span className={classes.name}>{name}</span>
    </span>
  );
}
