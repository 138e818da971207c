import * as t from '@propusk/phrases/console';
import { Link, type LinkProps } from '@tanstack/react-router';
import classes from './logo.module.css';

/** The logo as a link: the Russian letter Pe as a gate with a figure walking through, and the product's name. */
export function Logo({
  to,
  label,
  className = '',
}: Pick<LinkProps, 'to'> & { label?: string; className?: string }) {
  return (
    <Link to={to} className={`${classes.logo} ${className}`} aria-label={label}>
      <svg width={28} height={28} viewBox="0 0 32 32" aria-hidden="true">
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
      <span>{t.product}</span>
    </Link>
  );
}
