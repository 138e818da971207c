/** The values that settings of packages/dial take. */
export const dialSettingValues = {
  allowNetworks: 'сети через запятую, например 10.0.0.0/8,fd00::/8',
  hosts: 'имена с адресами через запятую, например crm.example.ru=10.0.0.5',
  egress: 'адреса этой машины, с которых шлюз выходит к сайтам: один IPv4, один IPv6 или оба через запятую',
  dns: 'адреса DNS-серверов через запятую, например 10.0.0.53,[fd00::53]:5353',
};
