import { Button } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { IconShieldLock } from '@tabler/icons-react';
import { Link, useLocation } from '@tanstack/react-router';
import { FACTOR_HASH, paths } from '../paths.ts';
import classes from './factor-banner.module.css';

/** The advice, on every page except the one that it links to. */
export function FactorBanner({ onLater }: { onLater: () => void }) {
  const there = useLocation({ select: ({ pathname }) => pathname.endsWith('/personal-data') });
  if (there) return null;
  return (
    <section className={classes.advice} aria-label={t.factor.title}>
      <IconShieldLock size={20} aria-hidden />
      <p>{t.factor.advice}</p>
      <Button component={Link} to={paths.personalData} hash={FACTOR_HASH} size="xs">
        {t.factor.adviceOn}
      </Button>
      <Button variant="default" size="xs" onClick={onLater}>
        {t.factor.adviceLater}
      </Button>
    </section>
  );
}
