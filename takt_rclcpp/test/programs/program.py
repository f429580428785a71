"""A node of rclpy that hears itself ten times. Exit code 77: there is no rclpy."""

import sys

try:
    import rclpy
    from std_msgs.msg import Int32
except ImportError:
    sys.exit(77)

rclpy.init()
node = rclpy.create_node("python")
heard: list[int] = []
publisher = node.create_publisher(Int32, "python", 10)
subscription = node.create_subscription(Int32, "python", lambda m: heard.append(m.data), 10)
timer = node.create_timer(0.002, lambda: publisher.publish(Int32(data=1)))
while len(heard) < 10:
    rclpy.spin_once(node, timeout_sec=1.0)
print("heard", sum(heard[:10]))
node.destroy_node()
rclpy.shutdown()
