import type { CompanyPlan } from '@propusk/contract/plans';
import { describe, expect, it } from 'vitest';
import { trialOf } from './plan-text.ts';

const plan = {
  ...{
    id: 1,
    name: 'Старт',
    price: null,
    people: 5,
    sites: null,
    proxies: 1,
    paidProxies: false,
    allSites: false,
  },
  ...{ offered: true, trial: false, standard: true, version: 1, createdAt: '', updatedAt: '' },
} satisfies CompanyPlan;
const trial = { ...plan, id: 2, name: 'Проба', trial: true, people: 20, paidProxies: true };
const tariff = { plan, trialOffered: true, trial };

describe('the trial of a company', () => {
  it('trialOf names what the trial adds to the present plan', () => {
    expect(trialOf(tariff)).toEqual({ name: 'Проба', gains: ['20 пользователей', 'Платные прокси'] });
    const unlimited = { ...trial, people: null };
    expect(trialOf({ ...tariff, trial: unlimited })?.gains).toContain('Пользователи без ограничения');
  });

  it.each<[string, Partial<CompanyPlan>]>([
    ['has fewer users', { people: 4 }],
    ['limits sites', { sites: 1000 }],
    ['lacks all sites', {}],
  ])('trialOf offers nothing when the trial %s', (_, less) => {
    const present = { ...plan, allSites: Object.keys(less).length === 0 };
    expect(trialOf({ ...tariff, plan: present, trial: { ...trial, ...less } })).toBeNull();
  });

  it('trialOf offers nothing when the trial equals the present plan, or was used', () => {
    expect(trialOf({ ...tariff, plan: trial })).toBeNull();
    expect(trialOf({ ...tariff, trialOffered: false })).toBeNull();
  });

  it('trialOf offers nothing when no plan is marked for the trial', () => {
    expect(trialOf({ ...tariff, trial: null })).toBeNull();
  });
});
