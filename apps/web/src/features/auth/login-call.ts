import { Login, login } from '@propusk/contract/auth';
import { call } from '../../api/call.ts';
import { contractResolver } from '../../common/use-contract-form.ts';

/** What judges the form of the login page. */
export const resolver = contractResolver(Login);

/** Signs in. */
export const send = (body: Login) => call(login, { body });
