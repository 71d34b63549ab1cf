<?php
// Creates the database and the site, and prints the accounts of the test: {"editor": {"id", "name", "password"}, …}.
$database = new mysqli('localhost', 'root', '', '', 0, getenv('WORDPRESS_SOCKET'));
$database->query('CREATE DATABASE wordpress CHARACTER SET utf8mb4');
define('WP_INSTALLING', true);
require getenv('WORDPRESS_FOLDER') . '/wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
wp_install('The kiln', 'admin', 'admin@example.test', true, '', wp_generate_password());
global $wp_rewrite;
$wp_rewrite->set_permalink_structure('/%year%/%postname%/');
update_option('comment_previously_approved', 0);
wp_create_category('Pottery');

$accounts = [];
foreach (['editor', 'author'] as $role) {
    $id = wp_insert_user([
        'user_login' => "alice_$role",
        'user_pass' => wp_generate_password(),
        'user_email' => "$role@example.test",
        'display_name' => "Alice, $role",
        'role' => $role,
    ]);
    [$password] = WP_Application_Passwords::create_new_application_password($id, ['name' => 'Switchboard']);
    $accounts[$role] = ['id' => (string) $id, 'name' => "alice_$role", 'password' => $password];
}
echo json_encode($accounts);
