/** Descriptions of the values that the settings of packages/dial accept. */
export const dialSettingValues = {
  allowNetworks: 'сети через запятую, например 10.0.0.0/8,fd00::/8',
  hosts: 'имена с адресами через запятую, например crm.example.ru=10.0.0.5',
  egress: 'адреса этой машины, с которых шлюз выходит к сайтам: один IPv4, один IPv6 или оба через запятую',
  ownAddresses: 'адреса через запятую, которые ведут на эту машину, например 203.0.113.5',
  ownPorts: 'порты через запятую, например 5432,6379',
  dns: 'адреса DNS-серверов через запятую, например 10.0.0.53,[fd00::53]:5353',
};
